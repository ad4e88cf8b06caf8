import { FIRST_LINK, type FindingKind } from '@baton/protocol';
import type { ChainLeaf, ChainRecord, FiledEvent } from '../ports/audit.ts';
import type { ImportRecord } from '../ports/store.ts';
import { eventsFinding, type Finding } from './finding.ts';
import { sha256 } from './sha256.ts';

/** What the chain is made of: which step an event belongs to is not part of it. */
export type ChainedEvent = Omit<FiledEvent, 'starts'>;

/**
 * Recomputes the chain of one run from its stored texts, in order, and holds it against every link that was
 * kept: those in signed checkpoints, those with folded states, and the one on the run's row.
 */
export interface ChainVerifier {
  add(event: ChainedEvent): void;
  finish(): ChainVerdict;
}

export interface ChainVerdict {
  readonly findings: readonly Finding[];
  readonly events: number;
  /** False for a run from before there were chains that has not moved since: there is nothing to hold it against. */
  readonly chained: boolean;
  /** Whether a signed checkpoint speaks for the whole log. */
  readonly signed: boolean;
  /** The log was removed when its time was over; only its last link is left. */
  readonly purged: boolean;
  /** Where the run comes from, when this host did not perform it itself. */
  readonly imported?: ImportRecord;
}

/** Where the run's own log begins: for a fork at the cut, with the link of its source there. */
export interface ChainStart {
  readonly sequence: number;
  readonly link: string;
}

export const FROM_THE_BEGINNING: ChainStart = { sequence: 0, link: FIRST_LINK };

export function verifyChain(record: ChainRecord, start: ChainStart = FROM_THE_BEGINNING): ChainVerifier {
  const { row, erasure } = record;
  const { runId, head } = row;
  const leaves = record.leaves.filter((leaf) => leaf.head > start.sequence);
  const marks = record.marks.filter((mark) => mark.head > start.sequence);
  const findings: Finding[] = [];
  let { link, sequence: next } = start;
  let remains = FIRST_LINK;
  let pos = 0;
  let nextLeaf = 0;
  let nextMark = 0;
  /** Up to here the log agrees with what was kept. */
  let good = start.sequence;
  /** The first kept link since then that does not agree, and whether something was found already. */
  let bad: number | undefined;
  let told = false;

  function found(what: FindingKind, from: number, to: number, how: string): void {
    findings.push(eventsFinding(what, runId, from, to, how));
    told = true;
  }

  function checkPlace({ sequence, text, pos: place }: ChainedEvent): void {
    if (sequence > next) found('event-missing', next, sequence - 1, 'is not there');
    if (place <= pos) found('event-reordered', sequence, sequence, 'stands before the one that it follows');
    pos = place;
    const claimed = claimedPlace(text);
    if (claimed === `${runId}:${sequence}`) return;
    if (claimed === undefined) found('event-changed', sequence, sequence, 'is no longer an event');
    else found('event-reordered', sequence, sequence, `is stored in the place of another: it is ${claimed}`);
  }

  /** Links that were kept unsigned tell where to look; which side was changed is decided by the signed ones. */
  function checkMarks(): void {
    for (let mark = marks[nextMark]; mark && mark.head <= next; mark = marks[++nextMark]) {
      if (mark.head < next) continue;
      if (mark.link === link && bad === undefined) good = next;
      else if (mark.link !== link) bad ??= next;
    }
  }

  function checkLeaves(): void {
    for (let leaf = leaves[nextLeaf]; leaf && leaf.head <= next; leaf = leaves[++nextLeaf]) {
      if (leaf.head === next) settle(leaf, `does not agree with checkpoint ${leaf.checkpoint}`);
    }
  }

  /** The log from the last agreement to here either agrees with a link or does not; either way it goes on from it. */
  function settle(kept: Omit<ChainLeaf, 'runId'>, how: string): void {
    if (kept.link !== link) {
      const to = Math.max(Math.min(bad ?? next, next) - 1, good);
      if (!told) found('event-changed', good, to, how);
    } else if (bad !== undefined && !told) {
      const message = `the link kept with the state of run ${runId} at ${bad} was changed`;
      findings.push({ what: 'link-changed', runId, from: bad, to: bad, message });
    }
    link = kept.link;
    good = next;
    bad = undefined;
    told = false;
  }

  function checkEnd(): void {
    const signedHead = leaves.reduce((most, leaf) => Math.max(most, leaf.head), 0);
    const expected = Math.max(head, signedHead);
    if (next < expected) found('log-truncated', next, expected - 1, 'is missing at the end');
    else if (head < expected) {
      const message = `the row of run ${runId} says ${head} events, a checkpoint says ${expected}`;
      findings.push({ what: 'link-changed', runId, from: head, to: head, message });
    }
    if (next >= head && !told) checkRow();
  }

  /** The row is not signed: where a checkpoint speaks for the same event, it is the row that must be wrong. */
  function checkRow(): void {
    const signed = good === next && leaves.some((leaf) => leaf.head === next);
    if (row.chain === undefined && leaves.length === 0 && marks.length === 0) return;
    if (row.chain !== undefined && (!signed || row.chain === link)) {
      settle({ head, link: row.chain }, 'does not agree with the link on the row of the run');
      return;
    }
    const message = `the link on the row of run ${runId} is not that of its last event`;
    findings.push({ what: 'link-changed', runId, from: head, to: head, message });
  }

  function checkRemains(): void {
    if (erasure === undefined || told || erasure.remains === remains) return;
    found(
      'event-changed',
      start.sequence,
      Math.max(next - 1, start.sequence),
      'was changed after it was erased',
    );
  }

  checkMarks();
  return {
    add(event) {
      const { sequence } = event;
      if (sequence >= head && !leaves.some((leaf) => leaf.head > sequence)) {
        const how = 'was put behind the last one of the run';
        findings.push(eventsFinding('event-inserted', runId, sequence, sequence, how));
        return;
      }
      checkPlace(event);
      link = erasure?.links[sequence - erasure.from] ?? sha256(link + event.text);
      if (erasure !== undefined) remains = sha256(remains + event.text);
      next = sequence + 1;
      checkMarks();
      checkLeaves();
    },
    finish() {
      checkEnd();
      checkRemains();
      const chained = row.chain !== undefined || leaves.length > 0;
      const signed = leaves.some((leaf) => leaf.head >= head);
      const { imported } = row;
      return {
        findings,
        events: next - start.sequence,
        chained,
        signed,
        purged: false,
        ...(imported && { imported }),
      };
    },
  };
}

const PLACE = /^\{"eventId":"([^"]*)","runId":"([^"]*)","sequence":(\d+),/;

/** Which event a text says it is. Every event begins in the same way, so that nothing need be parsed. */
function claimedPlace(text: string): string | undefined {
  const [, eventId, runId, sequence] = PLACE.exec(text) ?? [];
  return eventId !== undefined && eventId === `${runId}:${sequence}` ? eventId : undefined;
}
