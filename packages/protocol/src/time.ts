/** The latest time that a JavaScript `Date` can hold, in epoch milliseconds. No stored time is later. */
export const LATEST_TIME = 8_640_000_000_000_000;

/** A time as it is written on the wire. A number outside the range of dates becomes the nearest date. */
export function isoTime(epochMs: number): string {
  return new Date(inRange(epochMs)).toISOString();
}

/** `epochMs + ms`, limited to the range of dates, because deadlines are stored and shown as dates. */
export function laterBy(epochMs: number, ms: number): number {
  return inRange(epochMs + ms);
}

function inRange(epochMs: number): number {
  return Number.isNaN(epochMs) ? 0 : Math.min(Math.max(epochMs, -LATEST_TIME), LATEST_TIME);
}
