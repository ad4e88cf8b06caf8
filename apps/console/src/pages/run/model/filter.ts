import { eventText } from './event-text.ts';
import { type Family, familyOf } from './families.ts';
import type { Entry, Tree } from './tree.ts';

/** Which events the log shows. An absent part lets all events through. */
export interface LogFilter {
  readonly families?: ReadonlySet<Family>;
  /** A run or an agent, by the key of its lane. */
  readonly lane?: string;
  /** In lower case. */
  readonly text?: string;
  /** The first and the last position. */
  readonly range?: readonly [from: number, to: number];
}

/** The positions that a filter lets through, as far as they are known. */
export interface Filtered {
  readonly filter: LogFilter;
  readonly matches: number[];
  /** The events before this position were looked at. */
  upTo: number;
}

export function newFiltered(filter: LogFilter): Filtered {
  return { filter, matches: [], upTo: filter.range?.[0] ?? 0 };
}

/**
 * Looks at events that were not looked at yet, until `isOver` says that the share of time is used. Returns whether
 * events are left. The search in payloads of a long log needs more time than one frame has.
 */
export function goOn(filtered: Filtered, tree: Tree, isOver: () => boolean): boolean {
  const { filter, matches } = filtered;
  const end = Math.min(tree.entries.length, (filter.range?.[1] ?? Number.POSITIVE_INFINITY) + 1);
  while (filtered.upTo < end) {
    const entry = tree.entries[filtered.upTo];
    if (entry !== undefined && passes(filter, entry)) matches.push(filtered.upTo);
    filtered.upTo += 1;
    if (filtered.upTo % 64 === 0 && isOver()) return filtered.upTo < end;
  }
  return false;
}

function passes({ families, lane, text }: LogFilter, entry: Entry): boolean {
  if (families !== undefined && !families.has(familyOf(entry.event.type))) return false;
  if (lane !== undefined && entry.lane.key !== lane && entry.run.lane.key !== lane) return false;
  return text === undefined || contains(entry, text);
}

function contains({ event, lane }: Entry, text: string): boolean {
  const { type, nodeId = '' } = event;
  if (`${type} ${nodeId} ${lane.name}`.toLowerCase().includes(text)) return true;
  if (eventText(event).toLowerCase().includes(text)) return true;
  return JSON.stringify(event.payload).toLowerCase().includes(text);
}
