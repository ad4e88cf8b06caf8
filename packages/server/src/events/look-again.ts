import type { ChangeFeed, RunRow, StoreReads } from '@baton/engine/ports';
import type { Logger } from 'pino';
import type { Feed } from './feed.ts';

type Reads = Pick<StoreReads, 'tenantOf' | 'run' | 'runFamily'>;

interface LookAgainParts {
  readonly feed: Feed;
  readonly changes: ChangeFeed['changes'];
  readonly reads: Reads;
  readonly log: Logger;
}

/** Descendants of a watched tree that are looked at. */
const MOST_DESCENDANTS = 10_000;
const RETRY_MS = 500;

/**
 * After notices may have been missed, tells the listeners of each watched run how far the run has come. While the store
 * cannot be reached, it is asked again and again.
 */
export function lookAgainWhenMissed({ feed, changes, reads, log }: LookAgainParts): void {
  let looking = false;
  let again = false;

  async function look(): Promise<void> {
    const { runs, trees } = feed.watched();
    for (const runId of runs) tell(feed, await rowsOf(reads, runId, 'run'));
    for (const rootId of trees) tell(feed, await rowsOf(reads, rootId, 'tree'));
  }

  function begin(): void {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    again = false;
    look()
      .catch((error) => {
        log.warn({ err: error }, 'the watched runs could not be looked at; trying again');
        again = true;
        return new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      })
      .finally(() => {
        looking = false;
        if (again) begin();
      });
  }

  changes(({ kind }) => {
    if (kind === 'missed') begin();
  });
}

async function rowsOf(reads: Reads, runId: string, what: 'run' | 'tree'): Promise<readonly RunRow[]> {
  const tenant = await reads.tenantOf(runId);
  if (tenant === undefined) return [];
  if (what === 'run') {
    const row = await reads.run(tenant, runId);
    return row === undefined ? [] : [row];
  }
  const family = await reads.runFamily(tenant, runId, MOST_DESCENDANTS);
  return family === undefined ? [] : [family.row, ...family.descendants];
}

function tell(feed: Feed, rows: readonly RunRow[]): void {
  feed.publish(rows.map(({ runId, head, status }) => ({ runId, lastSequence: head - 1, status })));
}
