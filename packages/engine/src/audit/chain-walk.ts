import type { FindingKind } from '@baton/protocol';
import type { ChainLeaf, ChainRecord } from '../ports/audit.ts';
import { eventsFinding, type Finding } from './finding.ts';

/** Where the own log of a run begins. A fork begins at the cut, with the link of its source at this place. */
export interface ChainStart {
  readonly sequence: number;
  readonly link: string;
}

/** One walk over the log of a run: how far it has come, and where the log agreed with the stored links. */
export interface ChainWalk {
  readonly runId: string;
  /** Signed links and links from saved states, after the start of the log. The earliest is first. */
  readonly leaves: ChainRecord['leaves'];
  readonly marks: ChainRecord['marks'];
  readonly findings: Finding[];
  /** Sequence of the next event, and the link before it. */
  next: number;
  link: string;
  nextLeaf: number;
  nextMark: number;
  /** The log agrees with the stored links up to here. */
  good: number;
  /** The first stored link after `good` that does not agree. */
  bad: number | undefined;
  /** Whether the part of the log after `good` has a finding already. */
  told: boolean;
}

export function startWalk({ row, leaves, marks }: ChainRecord, { sequence, link }: ChainStart): ChainWalk {
  return {
    runId: row.runId,
    leaves: leaves.filter((leaf) => leaf.head > sequence),
    marks: marks.filter((mark) => mark.head > sequence),
    findings: [],
    next: sequence,
    link,
    nextLeaf: 0,
    nextMark: 0,
    good: sequence,
    bad: undefined,
    told: false,
  };
}

export function tell(walk: ChainWalk, what: FindingKind, from: number, to: number, how: string): void {
  walk.findings.push(eventsFinding(what, walk.runId, from, to, how));
  walk.told = true;
}

export function tellLink({ findings, runId }: ChainWalk, at: number, message: string): void {
  findings.push({ what: 'link-changed', runId, from: at, to: at, message });
}

/**
 * Unsigned links only narrow down the place of a change. Signed links decide whether the log or a link was
 * changed.
 */
export function compareMarks(walk: ChainWalk): void {
  const { marks, next, link } = walk;
  for (let mark = marks[walk.nextMark]; mark && mark.head <= next; mark = marks[++walk.nextMark]) {
    if (mark.head < next) continue;
    if (mark.link === link && walk.bad === undefined) walk.good = next;
    else if (mark.link !== link) walk.bad ??= next;
  }
}

export function compareLeaves(walk: ChainWalk): void {
  const { leaves, next } = walk;
  for (let leaf = leaves[walk.nextLeaf]; leaf && leaf.head <= next; leaf = leaves[++walk.nextLeaf]) {
    if (leaf.head === next) settle(walk, leaf, `does not agree with checkpoint ${leaf.checkpoint}`);
  }
}

/** Compares the log since the last agreement with a stored link. The walk then goes on from the stored link. */
export function settle(walk: ChainWalk, kept: Omit<ChainLeaf, 'runId'>, how: string): void {
  const { next, good, bad, told, runId } = walk;
  if (kept.link !== walk.link) {
    const to = Math.max(Math.min(bad ?? next, next) - 1, good);
    if (!told) tell(walk, 'event-changed', good, to, how);
  } else if (bad !== undefined && !told) {
    tellLink(walk, bad, `the link in the saved state of run ${runId} at ${bad} was changed`);
  }
  walk.link = kept.link;
  walk.good = next;
  walk.bad = undefined;
  walk.told = false;
}
