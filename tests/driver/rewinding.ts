import { type Bench, CALLER, settled } from './test-engine.ts';

/** Forks that may be refused, and what is left of memory. */

type Body = Record<string, unknown>;

export async function fork(top: Bench, runId: string, body: Body) {
  const reply = await top.execute({ kind: 'fork-run', caller: CALLER, runId, body: body as never });
  await settled();
  if (!reply.ok) return { refused: reply.error, runId: '' };
  if (reply.value.kind !== 'fork') throw new Error(reply.value.kind);
  return { refused: undefined, runId: reply.value.runId };
}

export { answer, start as begin } from './forking.ts';

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
