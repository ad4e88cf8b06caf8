/**
 * How much time each lane has used. A lane that was away does not save up time: it goes on where the others
 * are.
 */
interface UsedTime {
  of(lane: string): number;
  /** The lane is served: no lane that waits has used less time. */
  serve(lane: string): void;
  charge(lane: string, ms: number): void;
  /** How long the last item of a lane took, in milliseconds. Below one it counts as nothing. */
  lastTook(lane: string): number;
}

/** So many lanes are remembered that have used more than the others and have nothing waiting. */
const MOST_AHEAD = 10_000;

/** `waiting` is the number of lanes with items. */
export function usedTime(waiting: () => number): UsedTime {
  /** The time that lanes have used, as far as it is more than `reached`. */
  const used = new Map<string, number>();
  /** How long the last item took, of lanes whose last item took a millisecond or more. */
  const took = new Map<string, number>();
  /** The time that the lane which was served last had used. */
  let reached = 0;

  const of = (lane: string) => Math.max(used.get(lane) ?? 0, reached);

  function forgetOvertaken(): void {
    for (const [lane, own] of used) if (own <= reached) used.delete(lane);
    if (used.size > MOST_AHEAD) used.clear();
    for (const lane of took.keys()) if (!used.has(lane)) took.delete(lane);
  }

  return {
    of,
    serve(lane) {
      reached = of(lane);
    },
    charge(lane, ms) {
      used.set(lane, of(lane) + ms);
      if (ms >= 1) took.set(lane, ms);
      else if (took.size > 0) took.delete(lane);
      if (used.size > waiting() + MOST_AHEAD / 10) forgetOvertaken();
    },
    lastTook: (lane) => took.get(lane) ?? 0,
  };
}
