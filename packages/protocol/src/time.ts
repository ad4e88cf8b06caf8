/** The last moment that a date can name, in epoch milliseconds. No stored time lies beyond it. */
export const LATEST_TIME = 8_640_000_000_000_000;

/** A time as it is written on the wire. Whatever number a log holds, there is a date to show for it. */
export function isoTime(epochMs: number): string {
  return new Date(inRange(epochMs)).toISOString();
}

/** A time so much later, and never later than a date can be: deadlines are stored and shown as dates. */
export function laterBy(epochMs: number, ms: number): number {
  return inRange(epochMs + ms);
}

function inRange(epochMs: number): number {
  return Number.isNaN(epochMs) ? 0 : Math.min(Math.max(epochMs, -LATEST_TIME), LATEST_TIME);
}
