import type { Json } from '@baton/protocol';
import { expect } from 'vitest';
import { inOrder, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { answerTo, type Bench, CALLER, runIdOf, settled } from './test-engine.ts';

/** Short ways to fork runs in tests, and to hold a replay against its source. */

type Config = Record<string, unknown>;

export const line = (id: string, nodes: readonly Config[], more: Config = {}) =>
  workflow(id, nodes, { edges: inOrder(nodes), ...more });
export const gate = (id: string, config: Config = {}) =>
  node(id, 'core.approvalGate', { title: 'Go on?', ...config });
export const effect = (id: string, more: Config = {}) => node(id, 'core.conformance.side-effect', {}, more);
export const child = (id: string, workflowId: string, config: Config = {}, more: Config = {}) =>
  node(id, 'core.subWorkflow', { workflowId, ...config }, more);

/** However many slices it takes. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await settled();
}

export async function start(top: Bench, workflowId: string, more: Config = {}): Promise<string> {
  const body = { workflowId, ...more } as never;
  const reply = await top.execute({ kind: 'create-run', caller: CALLER, body });
  const runId = runIdOf(reply);
  await quiet();
  return runId;
}

export async function fork(top: Bench, runId: string, body: Config): Promise<string> {
  const reply = await top.execute({ kind: 'fork-run', caller: CALLER, runId, body: body as never });
  const twin = runIdOf(reply);
  await quiet();
  return twin;
}

export const replay = (top: Bench, runId: string, fromSeq = 0) =>
  fork(top, runId, { mode: 'replay', fromSeq });

export async function retry(top: Bench, runId: string, body: Config = {}): Promise<string> {
  const reply = await top.execute({ kind: 'retry-run', caller: CALLER, runId, body: body as never });
  const twin = runIdOf(reply);
  await quiet();
  return twin;
}

export async function answer(
  top: Pick<Bench, 'execute'>,
  runId: string,
  nodeId: string,
  resumeValue: Json = { action: 'accept' },
  interruptId?: string,
): Promise<void> {
  const target = { nodeId, ...(interruptId !== undefined && { interruptId }) };
  expect(await top.execute({ ...answerTo(runId, nodeId, resumeValue), target })).toMatchObject({ ok: true });
  await quiet();
}

/** The index behind the first event of this type, at this node if one is named. */
export async function after(top: Bench, runId: string, type: string, nodeId?: string): Promise<number> {
  const found = (await top.events(runId)).find(
    (event) => event.type === type && (nodeId ?? event.nodeId) === event.nodeId,
  );
  if (found === undefined) throw new Error(`${runId} has no ${type} of ${nodeId}`);
  return found.sequence + 1;
}

/** The run and everything below it. */
export async function treeOf(top: Bench, runId: string): Promise<readonly string[]> {
  const children = (await top.reads.runs({ tenant: CALLER.tenant, parentRunId: runId, limit: 100 })).items;
  const below = await Promise.all(children.map((one) => treeOf(top, one.runId)));
  return [runId, ...below.flat()];
}

/** A run's log with every root by the same name, so that it does not matter whose it is. */
export async function logOf(
  top: Bench,
  runId: string,
  ...names: readonly string[]
): Promise<readonly string[]> {
  return (await top.events(runId)).map((event) =>
    names.reduce((text, name) => text.replaceAll(name, 'X'), JSON.stringify(event)),
  );
}

/**
 * Replays the run from each of these indices, or from all of them: every run of the replay's tree has the log and
 * the status of its twin, and nothing was performed. `names` are roots that stand for the same run.
 */
export async function expectSameFrom(
  top: Bench,
  source: string,
  indices?: readonly number[],
  names: readonly string[] = [],
): Promise<void> {
  const performed = top.performed.length;
  const everywhere = (await top.events(source)).map(({ sequence }) => sequence);
  for (const fromSeq of indices ?? everywhere) {
    const twin = await replay(top, source, fromSeq);
    const runs = await treeOf(top, twin);
    for (const its of runs) {
      const original = source + its.slice(twin.length);
      const all = [twin, source, ...names];
      expect(await logOf(top, its, ...all), `from ${fromSeq}: ${its}`).toEqual(
        await logOf(top, original, ...all),
      );
      expect(await top.status(its)).toBe(await top.status(original));
    }
    if (fromSeq === 0) expect(runs).toHaveLength((await treeOf(top, source)).length);
  }
  expect(top.performed.length).toBe(performed);
  expect(top.logged).toEqual([]);
  expect(top.fatal).toEqual([]);
}
