import { setImmediate } from 'node:timers/promises';
import { FIRST_LINK } from '@baton/protocol';
import { sha256 } from '../audit/sha256.ts';
import type { StoreReads } from '../ports/store.ts';
import type { Told } from './told.ts';
import { ownStart, type WantedRun } from './wanted-runs.ts';

/**
 * Reads the logs of a bundle from the store, one page at a time, and collects the data for the records of the
 * runs.
 */

const AT_ONCE = 200;

export interface WrittenLog {
  readonly places: number[];
  /** The indexes of events that begin a step. `undefined` when this is not known for all events. */
  readonly steps: number[] | undefined;
  /** The links after events that were changed by masking. */
  readonly masked: { readonly sequence: number; readonly link: string }[];
  /** The link of the hash chain at the end. `undefined` for a log without a hash chain. */
  readonly chain: string | undefined;
  /** The link over the run's own events as they are in the bundle. */
  readonly told: string;
  /** True when no event was left out. */
  readonly complete: boolean;
  /** True when the log leads to the link on the row of the run. */
  readonly sound: boolean;
}

/** How many more characters of events the bundle may hold. */
export interface Room {
  left: number;
}

export interface LogWriter {
  write(run: WantedRun, room: Room): LogBeingWritten;
  /** Sets the link before an index of a run, when the events before it were read elsewhere. */
  know(runId: string, sequence: number, link: string): void;
}

export interface LogBeingWritten {
  /** The texts to write, as many as there is room for. */
  readonly pages: AsyncGenerator<readonly string[]>;
  /** The collected data. Call it only after all pages were read. */
  log(): WrittenLog;
}

export function logWriter(reads: StoreReads, told: Told, wanted: readonly WantedRun[]): LogWriter {
  /** The links at which forks begin, by source run and index. */
  const links = new Map<string, string | undefined>();
  const cuts = new Set<string>();
  const keyOf = (runId: string, sequence: number) => `${runId}:${sequence}`;
  for (const { row } of wanted) if (row.fork) cuts.add(keyOf(row.fork.sourceRunId, row.fork.fromSeq));

  async function* pagesOf(
    { row, cut }: WantedRun,
    room: Room,
    done: (log: WrittenLog) => void,
  ): AsyncGenerator<readonly string[]> {
    const from = ownStart(row);
    let link = from === 0 ? FIRST_LINK : links.get(keyOf(row.fork?.sourceRunId ?? '', from));
    if (cuts.has(keyOf(row.runId, from))) links.set(keyOf(row.runId, from), link);
    const places: number[] = [];
    const steps: number[] = [];
    const masked: { sequence: number; link: string }[] = [];
    let knowsSteps = true;
    let toldLink = '';
    for (let next = from; next < cut && room.left > 0; ) {
      const page = reads.filedEvents(row.runId, next, Math.min(AT_ONCE, cut - next));
      const last = page.at(-1);
      if (last === undefined) break;
      const texts: string[] = [];
      for (const { sequence, place, text, starts } of page) {
        const shown = told.event(text);
        room.left -= shown.length;
        if (room.left < 0) break;
        link = link === undefined ? undefined : sha256(link + text);
        if (link !== undefined && shown !== text) masked.push({ sequence, link });
        if (cuts.has(keyOf(row.runId, sequence + 1))) links.set(keyOf(row.runId, sequence + 1), link);
        toldLink = sha256(toldLink + shown);
        if (starts === 1) steps.push(places.length);
        knowsSteps &&= starts !== null;
        places.push(place);
        texts.push(shown);
      }
      yield texts;
      next = last.sequence + 1;
      await setImmediate();
    }
    const chain = cut === row.head ? row.chain : row.chain && link;
    done({
      places,
      steps: knowsSteps ? steps : undefined,
      masked,
      chain,
      told: toldLink,
      complete: places.length === cut - from,
      sound: chain !== undefined && chain === link,
    });
  }

  return {
    know: (runId, sequence, link) => void links.set(keyOf(runId, sequence), link),
    write(run, room) {
      let learnt: WrittenLog | undefined;
      const pages = pagesOf(run, room, (log) => {
        learnt = log;
      });
      return {
        pages,
        log() {
          if (learnt === undefined)
            throw new Error(`the log of run ${run.row.runId} was not read to its end`);
          return learnt;
        },
      };
    },
  };
}
