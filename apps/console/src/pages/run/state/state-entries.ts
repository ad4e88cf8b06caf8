import type { RunState } from '@baton/client';
import { type ChangeKind, sameValue } from '../../../ui/value-diff.ts';

/** The parts of the state of a run as the page lists them. */
const SECTIONS = ['variables', 'channels', 'memory', 'nodes'] as const;
export type SectionName = (typeof SECTIONS)[number];

/** One variable, channel, entry of memory or node. */
export interface StateEntry {
  readonly name: string;
  /** Absent: it was removed. */
  readonly value?: unknown;
  /** Present where it was changed or removed. */
  readonly before?: unknown;
  readonly change?: ChangeKind;
}

export type StateSections = Readonly<Record<SectionName, readonly StateEntry[]>>;

type Bag = Readonly<Record<string, unknown>>;

/** The entries of a state, marked with what is different from the state before. */
export function stateSections(before: RunState | undefined, after: RunState): StateSections {
  const sectionOf = (name: SectionName) =>
    entriesOf(before && membersOf(before, name), membersOf(after, name));
  return {
    variables: sectionOf('variables'),
    channels: sectionOf('channels'),
    memory: sectionOf('memory'),
    nodes: sectionOf('nodes'),
  };
}

function membersOf(state: RunState, section: SectionName): Bag {
  switch (section) {
    case 'variables':
      return state.variables;
    case 'channels':
      return state.channels;
    case 'nodes':
      return state.nodeStates;
    case 'memory':
      return memoryOf(state);
  }
}

function memoryOf({ memory }: RunState): Bag {
  const entries = (memory as { readonly entries?: readonly { readonly id: string }[] }).entries ?? [];
  return Object.fromEntries(entries.map(({ id, ...entry }) => [id, entry]));
}

/** In the order of the state; what was removed comes last. Without a state before, nothing is marked. */
function entriesOf(before: Bag | undefined, after: Bag): readonly StateEntry[] {
  const present = Object.entries(after).map(([name, value]): StateEntry => {
    if (before === undefined) return { name, value };
    if (!Object.hasOwn(before, name)) return { name, value, change: 'added' };
    return sameValue(before[name], value)
      ? { name, value }
      : { name, value, before: before[name], change: 'changed' };
  });
  const removed = Object.entries(before ?? {})
    .filter(([name]) => !Object.hasOwn(after, name))
    .map(([name, value]): StateEntry => ({ name, before: value, change: 'removed' }));
  return [...present, ...removed];
}

/** How much of a value is searched. Values can be megabytes long. */
const SEARCHED = 20_000;

interface StateFilter {
  readonly text: string;
  readonly onlyChanged: boolean;
}

/** The entries whose name or value contains the text. */
export function filterEntries(
  entries: readonly StateEntry[],
  { text, onlyChanged }: StateFilter,
): readonly StateEntry[] {
  const wanted = text.trim().toLowerCase();
  return entries.filter((entry) => {
    if (onlyChanged && entry.change === undefined) return false;
    if (wanted === '' || entry.name.toLowerCase().includes(wanted)) return true;
    const value = JSON.stringify(entry.value ?? entry.before) ?? '';
    return value.slice(0, SEARCHED).toLowerCase().includes(wanted);
  });
}

const WORDS: Readonly<Record<SectionName, readonly [one: string, many: string]>> = {
  variables: ['variable', 'variables'],
  channels: ['channel', 'channels'],
  memory: ['entry of memory', 'entries of memory'],
  nodes: ['node', 'nodes'],
};

/** "1 variable and 2 nodes", or nothing when the event changed nothing. */
export function changedText(sections: StateSections): string | undefined {
  const parts = SECTIONS.flatMap((name) => {
    const count = sections[name].filter(({ change }) => change !== undefined).length;
    return count === 0 ? [] : [`${count} ${WORDS[name][count === 1 ? 0 : 1]}`];
  });
  const last = parts.at(-1);
  if (last === undefined) return undefined;
  return parts.length === 1 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}
