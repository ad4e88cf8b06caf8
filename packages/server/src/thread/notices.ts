import type { Notice } from '@baton/engine';
import type { RunStatus } from '@baton/protocol';

/** Notices as primitives in one flat array: `[runId, lastSequence, status, …]`. */
export type FlatNotices = readonly (number | string)[];

/** Adds notices to the end of a flat array. */
export function flatten(flat: (number | string)[], notices: readonly Notice[]): void {
  for (const { runId, lastSequence, status } of notices) flat.push(runId, lastSequence, status);
}

export function noticesIn(flat: FlatNotices): readonly Notice[] {
  const notices: Notice[] = [];
  for (let i = 0; i + 2 < flat.length; i += 3) {
    notices.push({
      runId: String(flat[i]),
      lastSequence: Number(flat[i + 1]),
      status: flat[i + 2] as RunStatus,
    });
  }
  return notices;
}
