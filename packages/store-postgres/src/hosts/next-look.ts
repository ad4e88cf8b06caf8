interface SeenHost {
  readonly hostNo: number;
  /** How long ago the host was seen. */
  readonly silentMs: number;
}

interface LookTimes {
  /** The usual time between two looks. */
  readonly tickMs: number;
  /** After these times of silence a host may be removed. */
  readonly removedAfterMs: readonly number[];
}

/** A host that is looked at exactly when it can be removed would sometimes be missed. */
const JUST_AFTER_MS = 5;

/**
 * How long until the next look at the other hosts. If one of them can be removed before the usual time, the look is just
 * then. Example: a host was last seen 400 ms ago, so in 100 ms it will be known whether it has crashed.
 */
export function untilNextLook(
  hosts: readonly SeenHost[],
  self: number,
  { tickMs, removedAfterMs }: LookTimes,
): number {
  const left = hosts
    .filter(({ hostNo }) => hostNo !== self)
    .flatMap(({ silentMs }) => removedAfterMs.map((after) => after - silentMs))
    .filter((ms) => ms > 0);
  return Math.min(tickMs, ...left.map((ms) => ms + JUST_AFTER_MS));
}
