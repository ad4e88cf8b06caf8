import { defineAgent, fromJson, type InputsOf, workflow } from '@baton/client/builder';
import { expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { critic, writer } from './examples.ts';

/**
 * The mistakes that the compiler finds. `tsc -p tests` fails when one of them compiles: then its `@ts-expect-error` is
 * not used. Each mistake stands in a function that is never called.
 */
const mistakes: (() => unknown)[] = [];
const refused = (mistake: () => unknown) => void mistakes.push(mistake);

const desk = workflow('desk', {
  variables: {
    topic: { type: 'string', defaultValue: 'tides' },
    pages: 'number',
    notes: 'array',
    report: 'string',
  },
})
  .delay('wait', 10)
  .set('go', { report: "'On ' + variables.topic" });

/** A variable of another type, and none. */
// @ts-expect-error The default value is not of the type of the variable.
refused(() => workflow('w', { variables: { pages: { type: 'number', defaultValue: 'three' } } }));
// @ts-expect-error There is no such type.
refused(() => workflow('w', { variables: { pages: 'integer' } }));

/** Assignments and expressions. */
// @ts-expect-error The variable `reprot` is not declared.
refused(() => desk.set('x', { reprot: "'On tides'" }));
// @ts-expect-error The expression names the variable `topik`.
refused(() => desk.set('x', { report: "'On ' + variables.topik" }));
// @ts-expect-error The same, with a safe access.
refused(() => desk.set('x', { report: "variables.?topik.orValue('')" }));
// @ts-expect-error The same, with an index.
refused(() => desk.set('x', { report: "variables['topik']" }));
// @ts-expect-error The expression names the node `gone`.
refused(() => desk.set('x', { report: 'nodes.gone.outputs.text' }));
// @ts-expect-error The first of two assignments is right, the second is not.
refused(() => desk.set('x', { pages: '1', report: 'variables.page' }));
// @ts-expect-error The condition names the variable `chanel`.
refused(() => desk.edge('wait', 'go', { when: "variables.chanel == 'x'" }));
// @ts-expect-error The comparison names the variable `chanel`.
refused(() => desk.edge('wait', 'go', { when: { left: 'variables.chanel', equals: 'x' } }));
// @ts-expect-error A condition has no such member.
refused(() => desk.edge('wait', 'go', { when: { left: 'variables.topic', equal: 'x' } }));

/** Nodes and edges. */
// @ts-expect-error There is no node `gon`.
refused(() => desk.edge('wait', 'gon'));
// @ts-expect-error There is no node `wiat`.
refused(() => desk.chain('wiat', 'go'));
// @ts-expect-error There is no node `gon`.
refused(() => desk.delay('x', 1, { after: 'gon' }));
// @ts-expect-error There is a node `wait` already.
refused(() => desk.delay('wait', 1));
// @ts-expect-error A node has no such option.
refused(() => desk.delay('x', 1, { afterwards: 'go' }));
// @ts-expect-error There is no such node type.
refused(() => desk.node('x', 'core.nop', {}));
// @ts-expect-error The configuration has no such member.
refused(() => desk.node('x', 'core.fail', { cod: 'x' }));
// @ts-expect-error The node type writes to a variable that is not declared.
refused(() => desk.node('x', 'vendor.baton.memory.read', { into: 'note' }));
// @ts-expect-error There is no such action.
refused(() => desk.approval('x', { actions: ['agree'] }));

/** Inputs of nodes. */
// @ts-expect-error The variable `topik` is not declared.
refused(() => desk.approval('x', {}, { inputs: { topic: 'topik' } }));
// @ts-expect-error There is no node `gon`.
refused(() => desk.approval('x', {}, { inputs: { text: { node: 'gon', output: 'text' } } }));
// @ts-expect-error The expression names the variable `topik`.
refused(() => desk.agent('x', 'local.desk.x', { inputs: { text: { expression: 'variables.topik' } } }));

/** Mappings to a workflow. */
// @ts-expect-error The writer needs `topic`.
refused(() => desk.subWorkflow('x', writer, { output: { report: 'text' } }));
// @ts-expect-error This workflow has no variable `topik`.
refused(() => desk.subWorkflow('x', writer, { input: { topic: 'topik' } }));
// @ts-expect-error The writer has no variable `subject`.
refused(() => desk.subWorkflow('x', writer, { input: { topic: 'topic', subject: 'topic' } }));
// @ts-expect-error The topic of the writer is a string, `pages` is a number.
refused(() => desk.subWorkflow('x', writer, { input: { topic: 'pages' } }));
// @ts-expect-error This workflow has no variable `reprot`.
refused(() => desk.subWorkflow('x', writer, { input: { topic: 'topic' }, output: { reprot: 'text' } }));
// @ts-expect-error The writer has no variable `txt`.
refused(() => desk.subWorkflow('x', writer, { input: { topic: 'topic' }, output: { report: 'txt' } }));
// @ts-expect-error `pages` is a number, the text of the writer is a string.
refused(() => desk.subWorkflow('x', writer, { input: { topic: 'topic' }, output: { pages: 'text' } }));
// @ts-expect-error The id of a worker says nothing about its variables, but those of this workflow are known.
refused(() => desk.subWorkflow('x', 'other', { input: { subject: 'topik' } }));

/** Mappings to an agent. */
const reader = defineAgent({
  id: 'local.desk.reader',
  persona: 'Reader',
  modelClass: 'research',
  prompt: 'Read.',
  task: z.object({ question: z.string(), limit: z.number().optional() }),
  result: z.object({ findings: z.array(z.string()), sure: z.boolean() }),
});
// @ts-expect-error The task needs `question`.
refused(() => desk.subWorkflow('x', reader, { output: { notes: 'findings' } }));
// @ts-expect-error The limit is a number, `topic` is a string.
refused(() => desk.subWorkflow('x', reader, { input: { question: 'topic', limit: 'topic' } }));
// @ts-expect-error The result has no `finding`.
refused(() => desk.subWorkflow('x', reader, { input: { question: 'topic' }, output: { notes: 'finding' } }));
// @ts-expect-error `sure` is a boolean, `notes` is an array.
refused(() => desk.subWorkflow('x', reader, { input: { question: 'topic' }, output: { notes: 'sure' } }));

/** Supervisors. */
const workers = { writer: { run: writer, input: { topic: 'topic' }, output: { report: 'text' } } } as const;
// @ts-expect-error There is no worker `writr`.
refused(() => desk.supervise({ lead: { plan: [{ next: 'writr' }] }, workers }));
// @ts-expect-error One of two workers is not there.
refused(() => desk.supervise({ lead: { plan: [{ next: ['writer', 'reader'] }] }, workers }));
// @ts-expect-error A supervisor needs an agent, a plan or an expression.
refused(() => desk.supervise({ lead: { name: 'Lead' }, workers }));
refused(() =>
  desk.supervise({
    lead: { plan: [{ next: 'writer' }] },
    // @ts-expect-error The mapping names the variable `reprot`.
    workers: { writer: { run: writer, input: { topic: 'topic' }, output: { reprot: 'text' } } },
  }),
);
refused(() =>
  desk.supervise({
    // @ts-expect-error The expression names the variable `topik`.
    lead: { decide: "variables.topik == '' ? {'kind': 'terminate'} : {'kind': 'terminate'}" },
    workers,
  }),
);
// @ts-expect-error There is a node `go` already.
refused(() => desk.supervise({ lead: { id: 'go', plan: [] }, workers }));
refused(() =>
  // @ts-expect-error The writer declares no verdict, so it is no critic.
  desk.supervise({ lead: { plan: [] }, workers, gate: { critic: writer } }),
);
// @ts-expect-error A gate has no such stage.
refused(() => desk.supervise({ lead: { plan: [] }, workers, gate: { aprove: true } }));
// @ts-expect-error The nodes are called `lead` and `hand-out`.
refused(() => desk.supervise({ lead: { plan: [] }, workers }).edge('lead', 'handout'));

/** Agents. */
refused(() =>
  defineAgent({
    id: 'local.desk.x',
    persona: 'X',
    // @ts-expect-error There is no such class of models.
    modelClass: 'thinking',
    prompt: 'x',
  }),
);

it('are found by the compiler, and these are none', () => {
  expect(mistakes.length).toBeGreaterThan(40);
  const built = desk
    .agent('read', reader, { inputs: { question: { expression: "variables.topic + '?'" }, of: 'topic' } })
    .set('take', { notes: "nodes.read.outputs.result.findings + ['variables.nothing', \"it's nodes.x\"]" })
    .subWorkflow('again', reader, {
      input: { question: 'topic', limit: 'pages' },
      output: { notes: 'findings' },
    })
    .subWorkflow('other', 'some-workflow', { input: { any: 'topic' }, output: { report: 'any' } })
    .supervise({
      lead: {
        decide:
          "turn.iteration > 1 ? {'kind': 'terminate'} : {'kind': 'terminate', 'reason': variables.topic}",
      },
      workers: { ...workers, reader: { run: reader, input: { question: 'topic' } } },
      gate: { critic, approve: { requiredApprovals: 2 } },
    })
    .edge('again', 'lead', { when: "inputs.variables.anything && 'variables.x' != nodes['other'].outputs.y" })
    .edge('hand-out', 'other')
    .chain('wait', 'go', 'read', 'take');
  expect(built.toJSON().nodes.map(({ id }) => id)).toEqual([
    ...['wait', 'go', 'read', 'take', 'again', 'other'],
    ...['lead', 'hand-out'],
  ]);
});

it('an expression that is not a literal is left to the host', () => {
  const text: string = 'variables.unknown';
  expect(desk.set('x', { report: text }).toJSON().nodes.at(-1)?.config).toEqual({ assign: { report: text } });
});

it('the inputs of a run follow from the variables', () => {
  expectTypeOf<InputsOf<typeof writer.variables>>().toEqualTypeOf<
    Readonly<{ topic: string } & { attempt?: number; feedback?: string; text?: string }>
  >();
  const inputs: InputsOf<typeof writer.variables> = { topic: 'owls' };
  expect(inputs).toEqual({ topic: 'owls' });
});

it('a workflow that was read from JSON takes any names', () => {
  const read = fromJson(desk.toJSON()).delay('later', 1, { after: 'go' }).edge('later', 'wait');
  expect(read.toJSON().nodes.map(({ id }) => id)).toEqual(['wait', 'go', 'later']);
});
