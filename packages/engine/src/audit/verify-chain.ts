import { FIRST_LINK } from '@baton/protocol';
import type { ChainRecord, FiledEvent } from '../ports/audit.ts';
import {
  type ChainStart,
  type ChainWalk,
  compareLeaves,
  compareMarks,
  settle,
  startWalk,
  tell,
  tellLink,
} from './chain-walk.ts';
import { eventsFinding, type Finding } from './finding.ts';
import { sha256 } from './sha256.ts';

/** The parts of an event that an audit reads. The hash chain does not cover the steps of events. */
export type ChainedEvent = Omit<FiledEvent, 'starts'>;

/**
 * Recomputes the hash chain of one run from its stored texts, in order, and compares it with every stored
 * link: those in signed checkpoints, those in saved states, and the one on the row of the run.
 */
interface ChainVerifier {
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
}

export const FROM_THE_BEGINNING: ChainStart = { sequence: 0, link: FIRST_LINK };

export function verifyChain(record: ChainRecord, start: ChainStart = FROM_THE_BEGINNING): ChainVerifier {
  const { row, erasure } = record;
  const walk = startWalk(record, start);
  const { leaves, findings } = walk;
  let remains = FIRST_LINK;
  let place = 0;
  compareMarks(walk);
  return {
    add(event) {
      const { sequence, text } = event;
      if (sequence >= row.head && !leaves.some((leaf) => leaf.head > sequence)) {
        const how = 'was added after the last event of the run';
        findings.push(eventsFinding('event-inserted', row.runId, sequence, sequence, how));
        return;
      }
      checkPlace(walk, event, place);
      place = event.place;
      walk.link = erasure?.links[sequence - erasure.from] ?? sha256(walk.link + text);
      if (erasure !== undefined) remains = sha256(remains + text);
      walk.next = sequence + 1;
      compareMarks(walk);
      compareLeaves(walk);
    },
    finish() {
      checkEnd(walk, row);
      if (erasure !== undefined && !walk.told && erasure.remains !== remains) {
        const last = Math.max(walk.next - 1, start.sequence);
        tell(walk, 'event-changed', start.sequence, last, 'was changed after it was erased');
      }
      return {
        findings,
        events: walk.next - start.sequence,
        chained: row.chain !== undefined || leaves.length > 0,
        signed: leaves.some((leaf) => leaf.head >= row.head),
        purged: false,
      };
    },
  };
}

/** `after` is the place of the event before this one. */
function checkPlace(walk: ChainWalk, { sequence, text, place }: ChainedEvent, after: number): void {
  const { next, runId } = walk;
  if (sequence > next) tell(walk, 'event-missing', next, sequence - 1, 'is missing');
  if (place <= after)
    tell(walk, 'event-reordered', sequence, sequence, 'is stored before the event that it follows');
  const claimed = claimedPlace(text);
  if (claimed === `${runId}:${sequence}`) return;
  if (claimed === undefined) {
    tell(walk, 'event-changed', sequence, sequence, 'is not the text of an event');
    return;
  }
  const how = `is stored at the place of another event: it is ${claimed}`;
  tell(walk, 'event-reordered', sequence, sequence, how);
}

function checkEnd(walk: ChainWalk, row: ChainRecord['row']): void {
  const { next, leaves, runId } = walk;
  const { head } = row;
  const signedHead = leaves.reduce((most, leaf) => Math.max(most, leaf.head), 0);
  const expected = Math.max(head, signedHead);
  if (next < expected) tell(walk, 'log-truncated', next, expected - 1, 'is missing at the end');
  else if (head < expected) {
    tellLink(walk, head, `the row of run ${runId} says ${head} events, a checkpoint says ${expected}`);
  }
  if (next >= head && !walk.told) checkRow(walk, row);
}

/** The row is not signed. If a signed checkpoint covers the same event, then the row is wrong. */
function checkRow(walk: ChainWalk, { head, chain }: ChainRecord['row']): void {
  const { good, next, leaves, marks, link, runId } = walk;
  const signed = good === next && leaves.some((leaf) => leaf.head === next);
  if (chain === undefined && leaves.length === 0 && marks.length === 0) return;
  if (chain !== undefined && (!signed || chain === link)) {
    settle(walk, { head, link: chain }, 'does not agree with the link on the row of the run');
    return;
  }
  tellLink(walk, head, `the link on the row of run ${runId} is not that of its last event`);
}

const PLACE = /^\{"eventId":"([^"]*)","runId":"([^"]*)","sequence":(\d+),/;

/** The id that a text claims. Every event begins with the same fields, so the text need not be parsed. */
function claimedPlace(text: string): string | undefined {
  const [, eventId, runId, sequence] = PLACE.exec(text) ?? [];
  return eventId !== undefined && eventId === `${runId}:${sequence}` ? eventId : undefined;
}
