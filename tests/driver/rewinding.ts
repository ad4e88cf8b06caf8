import type { Json } from '@baton/protocol';
import { expect } from 'vitest';
import { type Bench, CALLER, settled } from './test-engine.ts';

/** What tests of forks do with the driver, over and over. */

type Body = Record<string, unknown>;

export async function fork(top: Bench, runId: string, body: Body) {
  const reply = await top.execute({ kind: 'fork-run', caller: CALLER, runId, body: body as never });
  await settled();
  if (!reply.ok) return { refused: reply.error, runId: '' };
  if (reply.value.kind !== 'fork') throw new Error(reply.value.kind);
  return { refused: undefined, runId: reply.value.runId };
}

export async function begin(top: Bench, workflowId: string, more: Body = {}): Promise<string> {
  const body = { workflowId, ...more };
  const reply = await top.execute({ kind: 'create-run', caller: CALLER, body });
  if (!reply.ok || reply.value.kind !== 'run') throw new Error(JSON.stringify(reply));
  await settled();
  return reply.value.runId;
}

export async function answer(
  top: Bench,
  runId: string,
  nodeId: string,
  resumeValue: Json = { action: 'accept' },
) {
  const reply = await top.execute({
    kind: 'resolve-interrupt',
    caller: CALLER,
    runId,
    target: { nodeId },
    resumeValue,
    viaToken: false,
    scopes: [],
  });
  expect(reply).toMatchObject({ ok: true });
  await settled();
}

/** The index behind the event of that type at that node. */
export async function after(top: Bench, runId: string, type: string, nodeId?: string): Promise<number> {
  const found = (await top.events(runId)).find(
    (event) => event.type === type && (nodeId ?? event.nodeId) === event.nodeId,
  );
  if (found === undefined) throw new Error(`no ${type} of ${nodeId} in ${runId}`);
  return found.sequence + 1;
}

/** What a node that reads memory found, as "key=content". */
export async function saw(top: Bench, runId: string, nodeId: string): Promise<readonly string[] | undefined> {
  for (const event of await top.events(runId)) {
    if (event.type !== 'node.completed' || event.nodeId !== nodeId) continue;
    const entries = event.payload.outputs?.entries as readonly { id: string; content: string }[];
    return entries.map(({ id, content }) => `${id}=${content}`);
  }
  return undefined;
}

export async function purgeAll(top: Bench, before: number): Promise<number> {
  let purged = 0;
  for (let some = 1; some > 0; purged += some) some = await top.store.purgeTrees(before, 100);
  return purged;
}

export async function pruneAll(top: Bench, before: number): Promise<number> {
  let pruned = 0;
  for (let some = 1; some > 0; pruned += some) some = await top.store.pruneMemory(before, 100);
  return pruned;
}
