import { defineAgent, defineTool, ToolRefusal, workflow } from '@baton/client/builder';
import {
  accept,
  answer,
  asks,
  emitted,
  ended,
  given,
  hasVariables,
  pass,
  scripted,
  type TestRun,
} from '@baton/client/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const calls: unknown[] = [];

const findOrder = defineTool({
  server: 'shop',
  name: 'find_order',
  description: 'Finds an order.',
  input: z.object({ order: z.string(), detailed: z.boolean().default(true) }),
  readOnly: true,
  run(input) {
    calls.push(input);
    if (input.order === 'none') throw new ToolRefusal('There is no such order.');
    if (input.order === 'defect') throw new Error('password=hunter2');
    return { item: 'Kettle', paid: 64.5 };
  },
});

const refund = defineTool({
  server: 'shop',
  name: 'refund',
  description: 'Pays money back.',
  input: z.object({ order: z.string(), amount: z.number() }),
  approval: true,
  repeatable: 'no',
  run: ({ order, amount }) => ({ order, refunded: amount }),
});

const triage = defineAgent({
  id: 'local.support.triage',
  persona: 'Triage',
  modelClass: 'reasoning',
  prompt: 'Decide what should happen.',
  task: z.object({ ticket: z.string() }),
  result: z.object({ summary: z.string() }),
  tools: [findOrder, refund, 'baton:time'],
  script: [{ json: { summary: 'from the manifest' } }],
});

const toolResults = (run: TestRun) =>
  run.events.flatMap((event) => (event.type === 'agent.toolReturned' ? [event.payload] : []));

const calling = (...asked: { tool: string; input?: object }[]) =>
  scripted({
    [triage.id]: [
      ...asked.map((call) => ({ calls: [call as { tool: string }] })),
      { text: 'Done.' },
      { json: { summary: 'a kettle' } },
    ],
  });

describe('an agent in the test kit', () => {
  it('answers with the script of its manifest, or with that of the test', async () => {
    const own = await given(triage).when({ ticket: 'It is broken.' }).then(ended('completed'));
    expect(own.variables).toMatchObject({ summary: 'from the manifest' });
    const other = await given(triage, scripted({ [triage.id]: [{ json: { summary: 'from the test' } }] }))
      .when({ ticket: 'It is broken.' })
      .then(ended('completed'));
    expect(other.variables).toMatchObject({ summary: 'from the test' });
  });

  it('calls tools that are functions, with the values that their schemas make', async () => {
    calls.length = 0;
    const run = await given(
      triage,
      findOrder,
      refund,
      calling({ tool: 'shop_find_order', input: { order: 'A-1' } }),
    )
      .when({ ticket: 'x' })
      .then(ended('completed'));
    expect(calls).toEqual([{ order: 'A-1', detailed: true }]);
    expect(toolResults(run)).toMatchObject([{ status: 'ok' }]);
  });

  it.each([
    ['none', 'There is no such order.'],
    ['defect', 'The tool failed because of a defect.'],
  ])('tells the model of a failure in the words of the author only (%s)', async (order, words) => {
    const run = await given(triage, findOrder, calling({ tool: 'shop_find_order', input: { order } }))
      .when({ ticket: 'x' })
      .then(ended('completed'));
    const log = JSON.stringify(run.events);
    expect(log).toContain(words);
    expect(log).not.toContain('hunter2');
  });

  it('asks a person about a call that needs approval', async () => {
    const run = await given(
      triage,
      findOrder,
      refund,
      calling({ tool: 'shop_refund', input: { order: 'A-1', amount: 5 } }),
    )
      .when({ ticket: 'x' })
      .then(asks('agent'));
    expect(toolResults(run)).toEqual([]);
    await run.decide('agent', 'accept');
    expect(toolResults(run)).toMatchObject([{ status: 'ok' }]);
    expect(ended('completed')(run)).toBe(run);
  });

  it('has the time of the simulated clock, and no network', async () => {
    const clocks = defineAgent({
      id: 'local.test.clocks',
      persona: 'C',
      modelClass: 'general',
      prompt: 'x',
      tools: ['baton:*'],
    });
    const run = await given(
      clocks,
      scripted({
        [clocks.id]: [
          { calls: [{ tool: 'baton_time' }, { tool: 'baton_fetch', input: { url: 'https://example.com' } }] },
          { text: 'Done.' },
        ],
      }),
    )
      .when({})
      .then(ended('completed'));
    const log = JSON.stringify(run.events);
    expect(log).toContain('2026-01-01T00:00:00.000Z');
    expect(log).toContain('The page was not fetched');
  });

  it('takes as long as its script says, in simulated time', async () => {
    const slow = scripted({
      [triage.id]: [{ delayMs: 60_000, text: 'Done.' }, { json: { summary: 'late' } }],
    });
    const run = await given(triage, slow).when({ ticket: 'x' }, pass('59s'));
    expect(run.status).toBe('running');
    await run.pass('1s');
    expect(run.variables).toMatchObject({ summary: 'late' });
    expect(run.now.toISOString()).toBe('2026-01-01T00:01:00.000Z');
  });

  it('is tried again after a fault of the model, without a wait', async () => {
    const busy = scripted({
      [triage.id]: [{ error: { status: 500 }, times: 2, json: { summary: 'at last' } }],
    });
    const run = await given(triage, busy).when({ ticket: 'x' });
    await run.untilAtRest();
    expect(run.variables).toMatchObject({ summary: 'at last' });
  });
});

describe('nodes that ask a model', () => {
  const asking = workflow('asking', {
    variables: { topic: { type: 'string', defaultValue: 'owls' }, title: 'string' },
  })
    .node(
      'title',
      'core.ai.structuredOutput',
      {
        provider: 'openai',
        model: 'gpt-5',
        outputSchema: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
      },
      { inputs: { messages: { expression: "[{'role': 'user', 'content': variables.topic}]" } } },
    )
    .set('keep', { title: 'nodes.title.outputs.data.title' }, { after: 'title' });

  it('are answered by the script of the node, whichever provider they name', () =>
    given(asking, scripted({ title: [{ json: { title: 'Night birds' } }] }))
      .when()
      .then(ended('completed'))
      .then(hasVariables({ title: 'Night birds' }))
      .then((run) => expect(run.descendants).toEqual([])));
});

describe('questions', () => {
  const inner = workflow('inner', { variables: { mood: 'string' } })
    .clarification('ask', [{ id: 'mood', question: 'How are you?' }])
    .set('keep', { mood: 'nodes.ask.outputs.answers.mood' }, { after: 'ask' });
  const outer = workflow('outer', { variables: { mood: 'string' } }).subWorkflow('call', inner, {
    output: { mood: 'mood' },
  });

  it('of a child run are answered by the name of the node', async () => {
    const run = await given(outer, inner).when(answer('ask', { answers: { mood: 'fine' } }));
    expect(run.variables).toEqual({ mood: 'fine' });
    expect(run.descendants).toMatchObject([{ workflowId: 'inner', status: 'completed' }]);
  });

  it('that nobody asked are refused, with what there is', async () => {
    const run = await given(outer, inner).when();
    await expect(run.answer('asc', {})).rejects.toThrow(
      /No question is open at "asc"[\s\S]*clarification at "ask"/,
    );
  });

  it('expire at their time', async () => {
    const gate = workflow('gate').approval('approve', { timeoutMs: 3_600_000 });
    const run = await given(gate).when(pass('59min')).then(asks('approve'));
    await run.pass('1min');
    expect(ended('failed', 'interrupt_timeout')(run)).toBe(run);
  });

  it('are not answered by a person who may not', async () => {
    const gate = workflow('gate').approval('approve', { approversList: ['ana'], requiredApprovals: 1 });
    await expect(given(gate).when(accept('approve', { by: 'ben' }))).rejects.toThrow();
    const run = await given(gate).when(accept('approve', { by: 'ana' }));
    expect(emitted('approval.granted', 'run.completed')(run).status).toBe('completed');
  });
});
