import { eventsIn, type Slice } from '@baton/engine/ports';
import { POSITIONS_OF_COMMIT } from '../webhooks/positions.ts';

/**
 * Parts of a group that are committed one after the other, because one transaction would have more events than there are
 * positions for. A single slice may still have more.
 */
export function transactionsOf(slices: readonly Slice[]): readonly (readonly Slice[])[] {
  const parts: Slice[][] = [];
  let events = Number.POSITIVE_INFINITY;
  for (const slice of slices) {
    const count = eventsIn(slice);
    events += count;
    if (events > POSITIONS_OF_COMMIT) {
      parts.push([]);
      events = count;
    }
    parts.at(-1)?.push(slice);
  }
  return parts;
}

/**
 * Parts of a group that are written one after the other in one transaction. A fork is written behind its source, so it
 * is alone.
 */
export function batchesOf(slices: readonly Slice[]): readonly (readonly Slice[])[] {
  const parts: Slice[][] = [];
  let wasAlone = true;
  for (const slice of slices) {
    const isAlone = forksIn([slice]).length > 0;
    if (isAlone || wasAlone) parts.push([]);
    parts.at(-1)?.push(slice);
    wasAlone = isAlone;
  }
  return parts;
}

/** The forks that slices create. */
export function forksIn(slices: readonly Slice[]) {
  return slices.flatMap(({ runs }) =>
    runs.flatMap(({ runId, created }) =>
      created?.fork === undefined ? [] : [{ runId, fork: created.fork, tenant: created.tenant }],
    ),
  );
}
