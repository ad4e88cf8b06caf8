import type { Slice } from '@baton/engine/ports';

/**
 * The first events of new logs, and new events of followed ones, sent together with the notice that they are committed. A caller that starts a
 * run mostly reads it at once, and memory is faster than the database. The format is a flat array: `[runId,
 * tenant, first, count, …events, runId, …]`. The tenant is empty after the first stretch of a run.
 */
export type FlatEvents = readonly (string | number)[];

/** Longer and larger logs are read from the store, one page at a time. */
export const FRESH_EVENTS = 64;
export const FRESH_CHARACTERS = 64 * 1024;

/**
 * Adds the events of a committed slice, for root runs with a short log, and for runs that readers follow. Child runs are
 * rarely read.
 */
export function collectFreshEvents(
  flat: (string | number)[],
  { rootId, runs }: Slice,
  isFollowed: (runId: string) => boolean,
): void {
  for (const { runId, created, expectedHead, events } of runs) {
    const isShort = runId === rootId && expectedHead + events.length <= FRESH_EVENTS;
    if (!isShort && !isFollowed(runId)) continue;
    if (charactersIn(events) > FRESH_CHARACTERS) continue;
    flat.push(runId, created?.tenant ?? '', expectedHead, events.length);
    for (const event of events) flat.push(event);
  }
}

export function charactersIn(events: readonly string[]): number {
  let sum = 0;
  for (const event of events) sum += event.length;
  return sum;
}

export interface FreshStretch {
  readonly runId: string;
  readonly tenant: string;
  readonly first: number;
  readonly events: readonly string[];
}

export function* freshStretches(flat: FlatEvents): Generator<FreshStretch> {
  for (let at = 0; at + 3 < flat.length; ) {
    const count = Number(flat[at + 3]);
    yield {
      runId: String(flat[at]),
      tenant: String(flat[at + 1]),
      first: Number(flat[at + 2]),
      events: flat.slice(at + 4, at + 4 + count).map(String),
    };
    at += 4 + count;
  }
}
