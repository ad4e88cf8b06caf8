import { afterAll, describe, expect, it } from 'vitest';
import { ASKING_WORKFLOWS } from '../http/asking-workflows.ts';
import { startTestHost } from '../http/host.ts';
import { connect, dataIn, ERAS, runIn } from './mcp-client.ts';

const publish = ['desk', 'twins', 'busy', 'above-merging'];
/** Questions of the runs below a tool call are put to its caller. */
const host = await startTestHost({ publish, builtinWorkflows: ASKING_WORKFLOWS });
afterAll(() => host.stop());

const FILLED = {
  'Ship it?': { action: 'accept' },
  'Which colour?': { q1: 'blue' },
} as const;

describe.each(ERAS)('a client of %s', (era) => {
  it('is asked the questions of two children one after the other', async () => {
    const { client, forms } = await connect(host.url, {
      era,
      fillIn: ({ message }) => ({ action: 'accept', content: FILLED[message as keyof typeof FILLED] }),
    });
    const result = await client.callTool({ name: 'desk' });
    expect(forms.map(({ message }) => message)).toEqual(['Ship it?', 'Which colour?']);
    expect(runIn(result)).toMatchObject({ status: 'completed' });
    await client.close();
  });

  it('is asked whether the outputs of a grandchild may be merged', async () => {
    const fillIn = () => ({ action: 'accept', content: { action: 'accept' } }) as const;
    const { client, forms } = await connect(host.url, { era, fillIn });
    const result = await client.callTool({ name: 'above-merging' });
    expect(forms).toHaveLength(1);
    expect(runIn(result)).toMatchObject({ status: 'completed' });
    await client.close();
  });

  it('gets the run back with the question of its child, while other work goes on, and answers it', async () => {
    const { client } = await connect(host.url, { era });
    const asked = dataIn(await client.callTool({ name: 'busy' }));
    const { runId, interrupt } = asked;
    expect(asked).toMatchObject({ status: 'running', interrupt: { kind: 'approval', runId: `${runId}.1` } });
    const answer = { runId, interruptId: interrupt.interruptId, answer: { action: 'accept' } };
    const after = dataIn(await client.callTool({ name: 'baton_answer', arguments: answer }));
    expect(after).toMatchObject({ runId, status: 'running' });
    expect(after.interrupt).toBeUndefined();
    expect((await host.get(`/v1/runs/${runId}.1`)).body.status).toBe('completed');
    await client.callTool({ name: 'baton_cancel', arguments: { runId } });
    await client.close();
  });
});

it('takes an answer of 2026 only for the run that has asked', async () => {
  const { client } = await connect(host.url, { era: '2026', hasForms: true });
  const call = async (more: object = {}) =>
    (await client.callTool({ name: 'twins', ...more }, { allowInputRequired: true })) as unknown as {
      readonly resultType: string;
      readonly requestState: string;
    };
  const inputResponses = { question: { action: 'accept', content: { action: 'accept' } } };
  const first = await call();
  const second = await call({ inputResponses, requestState: first.requestState });
  expect(second.resultType).toBe('input_required');
  // The state of the first question does not answer the second one, although both interrupts have the same id.
  const again = await call({ inputResponses, requestState: first.requestState });
  expect(again.resultType).toBe('input_required');
  const ended = await call({ inputResponses, requestState: second.requestState });
  expect(runIn(ended)).toMatchObject({ status: 'completed' });
  await client.close();
});
