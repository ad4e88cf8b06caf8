import { FIRST_LINK, type FindingKind } from '@baton/protocol';
import type { ChainLeaf, ChainRecord, FiledEvent } from '../ports/audit.ts';
import type { ImportRecord } from '../ports/store.ts';
import { eventsFinding, type Finding } from './finding.ts';
import { sha256 } from './sha256.ts';

/** The parts of an event that an audit reads. The hash chain does not cover the steps of events. */
export type ChainedEvent = Omit<FiledEvent, 'starts'>;

/**
 * Recomputes the hash chain of one run from its stored texts, in order, and compares it with every stored
 * link: those in signed checkpoints, those in saved states, and the one on the row of the run.
 */
export interface ChainVerifier {
  add(event: ChainedEvent): void;
  finish(): ChainVerdict;
}

export interface ChainVerdict {
  readonly findings: readonly Finding[];
  readonly events: number;
  /** False for a run without links: it was stored before hash chains existed, and has not advanced since. */
  readonly chained: boolean;
  /** Whether a signed checkpoint covers the whole log. */
  readonly signed: boolean;
  /** The log was removed because its retention time was over. Only its last link is left. */
  readonly purged: boolean;
  /** The origin of the run, when it was imported. */
  readonly imported?: ImportRecord;
}

/** Where the own log of a run begins. A fork begins at the cut, with the link of its source at this place. */
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
  let newest = 0;
  let nextLeaf = 0;
  let nextMark = 0;
  /** The log agrees with the stored links up to here. */
  let good = start.sequence;
  /**
   * The first stored link after `good` that does not agree. `told` is set once a finding was added for this
   * part.
   */
  let bad: number | undefined;
  let told = false;

  function found(what: FindingKind, from: number, to: number, how: string): void {
    findings.push(eventsFinding(what, runId, from, to, how));
    told = true;
  }

  function checkPlace({ sequence, text, place }: ChainedEvent): void {
    if (sequence > next) found('event-missing', next, sequence - 1, 'is missing');
    if (place <= newest)
      found('event-reordered', sequence, sequence, 'is stored before the event that it follows');
    newest = place;
    const claimed = claimedPlace(text);
    if (claimed === `${runId}:${sequence}`) return;
    if (claimed === undefined) found('event-changed', sequence, sequence, 'is not the text of an event');
    else
      found(
        'event-reordered',
        sequence,
        sequence,
        `is stored at the place of another event: it is ${claimed}`,
      );
  }

  /**
   * Unsigned links only narrow down the place of a change. Signed links decide whether the log or a link was
   * changed.
   */
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

  /**
   * Compares the log since the last agreement with a stored link. The check then goes on from the stored
   * link.
   */
  function settle(kept: Omit<ChainLeaf, 'runId'>, how: string): void {
    if (kept.link !== link) {
      const to = Math.max(Math.min(bad ?? next, next) - 1, good);
      if (!told) found('event-changed', good, to, how);
    } else if (bad !== undefined && !told) {
      const message = `the link in the saved state of run ${runId} at ${bad} was changed`;
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

  /** The row is not signed. If a signed checkpoint covers the same event, then the row is wrong. */
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
        const how = 'was added after the last event of the run';
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

/** The id that a text claims. Every event begins with the same fields, so the text need not be parsed. */
function claimedPlace(text: string): string | undefined {
  const [, eventId, runId, sequence] = PLACE.exec(text) ?? [];
  return eventId !== undefined && eventId === `${runId}:${sequence}` ? eventId : undefined;
}
