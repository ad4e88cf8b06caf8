import { type Reply, startEngine } from '@baton/engine';
import { expect, it, onTestFinished } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { answerTo, type Bench, creationOf, on, runIdOf, startTestEngine } from './test-engine.ts';

/** Two engines on one store, each with trees in its memory that the other may move. */

const ASKS = workflow('asks', [node('ask', 'core.approvalGate', { title: 'Go on?' })]);

async function twoEngines() {
  const one = await startTestEngine();
  const two = await startEngine({
    store: one.store,
    effects: { perform: async () => ({ kind: 'done', outputs: {} }) },
    elapsed: () => 0,
    onFatal: (error) => void one.fatal.push(error),
  });
  onTestFinished(() => two.stop());
  await one.register(ASKS);
  return { one, two };
}

const answer = (runId: string) => answerTo(runId, 'ask');

const codeOf = (reply: Reply) => (reply.ok ? 'ok' : reply.error.error);

async function typesOf(host: Bench, runId: string): Promise<readonly string[]> {
  const sequences = (await host.events(runId)).map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, index) => index));
  return host.types(runId);
}

it('a slice from an older state is refused, and its command is computed again', async () => {
  const { one, two } = await twoEngines();
  const runId = await one.create('asks');
  expect(codeOf(await two.execute(on('cancel-run', runId)))).toBe('ok');
  expect(codeOf(await one.execute(answer(runId)))).toBe('interrupt_gone');
  const types = await typesOf(one, runId);
  expect(types.at(-1)).toBe('run.cancelled');
  expect(types).not.toContain('interrupt.resolved');
});

it('a refusal from a tree in memory is given only if the tree is still the stored one', async () => {
  const { one, two } = await twoEngines();
  const runId = await one.create('asks');
  // Both engines have the tree in memory from here on.
  expect(codeOf(await two.execute(on('resume-run', runId)))).toBe('run_state_conflict');
  expect(codeOf(await one.execute(on('cancel-run', runId)))).toBe('ok');
  expect(codeOf(await two.execute(on('resume-run', runId)))).toBe('run_terminal');
});

it('a workflow that one engine registers is run by the other from then on', async () => {
  const { one, two } = await twoEngines();
  const version = async () =>
    (await one.store.run(runIdOf(await two.execute(creationOf('asks')))))?.workflowVersion;
  expect(await version()).toBe(1);
  await one.register(workflow('asks', [node('other', 'core.noop')]));
  expect(await version()).toBe(2);
});
