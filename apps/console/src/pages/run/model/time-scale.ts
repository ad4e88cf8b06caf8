import { lastUpTo, positionAtTime } from './at.ts';
import type { Entry, Silence, Tree } from './tree.ts';

/**
 * Where the moments of a tree are on the axis of the timeline, in units: milliseconds of which long silences are
 * compressed, or simply the positions of the events.
 */

export type Axis = 'time' | 'order';

export interface Scale {
  readonly axis: Axis;
  /** The units from the first event to the last one, at least 1. */
  readonly length: number;
  readonly breaks: readonly Break[];
  unitOf(entry: Entry): number;
  /** The position of the last event at or before a unit. */
  positionAt(unit: number): number;
  /** What the axis says at a unit: milliseconds since the first event, or the number of an event. */
  valueAt(unit: number): number;
}

/** A silence that is drawn shorter than it was. */
interface Break {
  readonly silence: Silence;
  readonly from: number;
  readonly to: number;
}

/** Shorter silences are drawn in their true length. */
export const LEAST_SILENCE_MS = 2_000;
/** While an effect is under way, a silence is work, such as a model that thinks. It is compressed only when long. */
const LONGEST_WORK_MS = 60_000;
/** All silences together take at most this share of the rest of the axis, and each one at most the second share. */
const MOST_FOR_ALL = 0.5;
const MOST_FOR_ONE = 0.05;
const LEAST_ACTIVE_MS = 100;

export function orderScale({ entries }: Tree): Scale {
  return {
    axis: 'order',
    length: Math.max(1, entries.length),
    breaks: [],
    unitOf: ({ position }) => position + 0.5,
    positionAt: (unit) => Math.min(entries.length - 1, Math.max(0, Math.floor(unit))),
    valueAt: (unit) => Math.min(entries.length, Math.floor(unit) + 1),
  };
}

/** `until`: the present, while the run goes on. Absent: the axis ends with the last event. */
export function timeScale({ entries, silences, underWay }: Tree, until?: number): Scale {
  const first = entries[0]?.time ?? 0;
  const newest = entries.at(-1)?.time ?? first;
  const last = Math.max(newest, until ?? newest);
  const present: Silence = {
    after: entries.length - 1,
    from: newest,
    to: last,
    working: underWay.size > 0,
  };
  const isSilent = last - newest >= LEAST_SILENCE_MS;
  const long = [...silences, ...(isSilent ? [present] : [])].filter(
    ({ from, to, working }) => !working || to - from > LONGEST_WORK_MS,
  );
  const silent = long.reduce((sum, { from, to }) => sum + to - from, 0);
  const active = Math.max(LEAST_ACTIVE_MS, last - first - silent);
  const share = Math.min(active * MOST_FOR_ONE, (active * MOST_FOR_ALL) / Math.max(1, long.length));
  const breaks: Break[] = [];
  let saved = 0;
  for (const silence of long) {
    const drawn = Math.min(silence.to - silence.from, share);
    const from = silence.from - first - saved;
    saved += silence.to - silence.from - drawn;
    breaks.push({ silence, from, to: from + drawn });
  }
  const starts = breaks.map(({ silence }) => silence.from);
  const units = breaks.map(({ from }) => from);
  const unitAt = (time: number): number => {
    const before = breaks[lastUpTo(starts, time)];
    if (before === undefined) return time - first;
    const { silence, from, to } = before;
    if (time >= silence.to) return to + time - silence.to;
    return from + ((time - silence.from) / (silence.to - silence.from)) * (to - from);
  };
  const timeAt = (unit: number): number => {
    const before = breaks[lastUpTo(units, unit)];
    if (before === undefined) return first + unit;
    const { silence, from, to } = before;
    if (unit >= to) return silence.to + unit - to;
    return silence.from + ((unit - from) / Math.max(1e-9, to - from)) * (silence.to - silence.from);
  };
  return {
    axis: 'time',
    length: Math.max(1, unitAt(last)),
    breaks,
    unitOf: ({ time }) => unitAt(time),
    // Half a unit more, because a unit that was computed from a pixel lies a little beside that of its event.
    positionAt: (unit) => positionAtTime(entries, timeAt(unit) + 0.5),
    valueAt: (unit) => timeAt(unit) - first,
  };
}
