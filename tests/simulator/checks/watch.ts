import type { RunEvent } from '@baton/protocol';

/**
 * Follows one log event by event, and says what is wrong with each event, given those before it. A watch never
 * reads a log twice, so that a log can be checked after every commit.
 */
export type Watch = (event: RunEvent) => readonly string[];

const ENDS: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled']);

export function isEnd({ type }: RunEvent): boolean {
  return ENDS.has(type);
}
