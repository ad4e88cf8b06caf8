import { type ChannelReducer, isJsonObject, type Json } from '@baton/protocol';

/**
 * How a write changes a channel. Limits on age and size are applied when a node writes, and are recorded as a
 * trim. The fold therefore needs neither a clock nor the definition of the workflow.
 */

/** The name of the `message` reducer in events. The schema of the event does not allow the plain name. */
export const MESSAGE_REDUCER = 'vendor.baton.message';

export function reducerOnWire(reducer: ChannelReducer): string {
  return reducer === 'message' ? MESSAGE_REDUCER : reducer;
}

export function reduceChannel(reducer: string, current: Json | undefined, value: Json, at: number): Json {
  switch (reducer) {
    case 'append':
    case 'feedback':
      return [...asList(current), { value, _ts: at }];
    case MESSAGE_REDUCER:
      return [...asList(current), value];
    case 'merge':
      return isJsonObject(value) ? { ...(isJsonObject(current) ? current : {}), ...value } : value;
    case 'counter':
      return (typeof current === 'number' ? current : 0) + (typeof value === 'number' ? value : 1);
    case 'votes':
      return isJsonObject(value) && typeof value.voter === 'string'
        ? { ...(isJsonObject(current) ? current : {}), [value.voter]: value.vote ?? null }
        : (current ?? {});
    default:
      return value;
  }
}

/**
 * How many of the newest entries stay before a write. Entries older than `ttlMs` are removed, and at most
 * `maxSize - 1` stay.
 */
export function entriesToKeep(
  current: Json | undefined,
  at: number,
  ttlMs: number | undefined,
  maxSize: number | undefined,
): number {
  const entries = asList(current);
  let keep = entries.length;
  if (ttlMs !== undefined) {
    while (keep > 0 && timeOf(entries[entries.length - keep]) + ttlMs < at) keep -= 1;
  }
  return maxSize === undefined ? keep : Math.min(keep, maxSize - 1);
}

export function trimChannel(current: Json | undefined, keep: number): Json {
  const entries = asList(current);
  return keep === 0 ? [] : entries.slice(-keep);
}

export function hasMessage(current: Json | undefined, message: Json): boolean {
  const id = isJsonObject(message) ? message.messageId : undefined;
  return id !== undefined && asList(current).some((entry) => isJsonObject(entry) && entry.messageId === id);
}

function asList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function timeOf(entry: Json | undefined): number {
  return isJsonObject(entry) && typeof entry._ts === 'number' ? entry._ts : 0;
}
