import type { RunAdvance, Slice } from '@baton/engine/ports';
import type { Random } from './random.ts';

/** What a store is expected to hold: how far each run has come, and which replies are remembered. */
export interface Expected {
  readonly heads: ReadonlyMap<string, number>;
  readonly replies: ReadonlySet<string>;
}

export const NOTHING: Expected = { heads: new Map(), replies: new Set() };
export const TENANT = 'acme';
export const PRINCIPAL = 'ada';

/** Told from run and sequence alone, so that it can be checked; some are larger than a page. */
export function eventText(runId: string, sequence: number): string {
  const length = ((sequence * 7919 + runId.length * 104729) % 37) ** 2 * 8;
  return `${runId}:${sequence}:${'x'.repeat(length)}`;
}

/** Slices that each touch several rows: a root that is created or goes on, perhaps a child, and a reply. */
export function randomGroup(before: Expected, random: Random): { slices: Slice[]; after: Expected } {
  const heads = new Map(before.heads);
  const replies = new Set(before.replies);
  const slices = Array.from({ length: 1 + random.below(4) }, (): Slice => {
    const roots = [...heads.keys()].filter((runId) => !runId.includes('.'));
    const known = roots[random.below(roots.length * 2)];
    const rootId = known ?? `run${heads.size}`;
    const from = eventsOf(rootId, heads);
    const runs = [step(rootId, rootId, heads, random)];
    if (random.chance(0.5)) runs.push(step(`${rootId}.${heads.size}`, rootId, heads, random));
    const key = `reply${replies.size}`;
    replies.add(key);
    const idempotency = {
      tenant: TENANT,
      principal: PRINCIPAL,
      key,
      request: key,
      reply: key,
      at: replies.size,
    };
    return { rootId, from, runs, wake: { at: null, unfinished: random.chance(0.5) }, idempotency };
  });
  return { slices, after: { heads, replies } };
}

/** How many events a tree has. */
function eventsOf(rootId: string, heads: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [runId, head] of heads) if (runId === rootId || runId.startsWith(`${rootId}.`)) sum += head;
  return sum;
}

function step(runId: string, rootId: string, heads: Map<string, number>, random: Random): RunAdvance {
  const head = heads.get(runId);
  const from = head ?? 0;
  const count = 1 + random.below(12);
  heads.set(runId, from + count);
  const record = {
    runId,
    rootId,
    ...(runId !== rootId && { parentRunId: rootId }),
    tenant: TENANT,
    principal: PRINCIPAL,
    workflowId: 'demo',
    workflowVersion: 1,
    tags: [],
    createdAt: 1,
  };
  return {
    runId,
    expectedHead: from,
    ...(head === undefined && { created: record }),
    events: Array.from({ length: count }, (_, offset) => eventText(runId, from + offset)),
    status: 'running',
    at: from,
    ...(random.chance(0.2) && { savedState: { sequence: from, foldVersion: 1, state: `{"at":${from}}` } }),
    interruptsOpened: [],
    interruptsClosed: [],
  };
}
