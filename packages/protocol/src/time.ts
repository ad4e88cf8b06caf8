/** A time as it is written on the wire. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
