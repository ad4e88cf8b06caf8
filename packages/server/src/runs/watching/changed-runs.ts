import type { ChangeFeed, RunReads } from '@baton/engine/ports';
import type { Logger } from 'pino';
import type { Feed } from '../../events/feed.ts';
import { type FairSchedule, inTurn } from '../../http/fair-schedule.ts';
import type { Later } from '../../progress/told-progress.ts';
import type { Telling } from '../../secrets/told.ts';
import { summaryOf } from '../run-summary.ts';

/**
 * Tells the readers of a tenant which of its runs have changed. The changes of 250 ms are gathered and read together,
 * once for all readers of the tenant. Nothing is gathered while there is no reader.
 */
export interface ChangedRuns {
  watch(tenant: string, reader: ChangeReader): () => void;
  /** Readers of the tenant have to read the list again. */
  missed(tenant: string): void;
}

export interface ChangeReader {
  /** The summary of a run as JSON. */
  changed(runId: string, summary: string): void;
  missed(): void;
}

interface ChangedRunsParts {
  readonly feed: Pick<Feed, 'watchAll'>;
  readonly changes: ChangeFeed['changes'];
  readonly reads: Pick<RunReads, 'listedRuns'>;
  readonly telling: Telling;
  readonly turns: FairSchedule;
  readonly later: Later;
  readonly log: Pick<Logger, 'error'>;
}

const GATHER_MS = 250;
const READ_AT_ONCE = 200;
/** When more runs than this have changed, readers read the list again. */
const MOST_GATHERED = 20_000;

export function changedRuns(parts: ChangedRunsParts): ChangedRuns {
  const tenants = new Map<string, Gathering>();
  let stopListening: (() => void) | undefined;

  function listen(): () => void {
    const stopNotices = parts.feed.watchAll((notices) => {
      for (const gathering of tenants.values()) {
        for (const { runId } of notices) gathering.add(runId);
      }
    });
    const stopChanges = parts.changes((change) => {
      if (change.kind === 'log') for (const gathering of tenants.values()) gathering.add(change.runId);
      if (change.kind === 'missed') for (const gathering of tenants.values()) gathering.missed();
    });
    return () => {
      stopNotices();
      stopChanges();
    };
  }

  return {
    watch(tenant, reader) {
      stopListening ??= listen();
      const gathering = tenants.get(tenant) ?? gatherChanges(tenant, parts);
      tenants.set(tenant, gathering);
      gathering.readers.add(reader);
      return () => {
        gathering.readers.delete(reader);
        if (gathering.readers.size > 0 || tenants.get(tenant) !== gathering) return;
        gathering.stop();
        tenants.delete(tenant);
        if (tenants.size > 0) return;
        stopListening?.();
        stopListening = undefined;
      };
    },
    missed: (tenant) => tenants.get(tenant)?.missed(),
  };
}

interface Gathering {
  readonly readers: Set<ChangeReader>;
  add(runId: string): void;
  missed(): void;
  stop(): void;
}

function gatherChanges(tenant: string, { reads, telling, turns, later, log }: ChangedRunsParts): Gathering {
  const readers = new Set<ChangeReader>();
  /** Of all tenants, because a notice does not name the tenant of its run. */
  const changed = new Set<string>();
  let cancel: (() => void) | undefined;
  let isReading = false;

  function missed(): void {
    changed.clear();
    for (const reader of [...readers]) reader.missed();
  }

  function schedule(): void {
    if (!isReading && changed.size > 0) cancel ??= later(GATHER_MS, () => void tell());
  }

  async function tell(): Promise<void> {
    cancel = undefined;
    isReading = true;
    const gathered = [...changed];
    changed.clear();
    try {
      for (let at = 0; at < gathered.length && readers.size > 0; at += READ_AT_ONCE) {
        const some = gathered.slice(at, at + READ_AT_ONCE);
        for (const row of await inTurn(turns, tenant, () => reads.listedRuns(tenant, some))) {
          const summary = telling.json(tenant, JSON.stringify(summaryOf(row)));
          for (const reader of [...readers]) reader.changed(row.runId, summary);
        }
      }
    } catch (error) {
      log.error({ err: error, tenant }, 'cannot read the runs that have changed');
      missed();
    }
    isReading = false;
    schedule();
  }

  return {
    readers,
    add(runId) {
      // The questions of a run are shown with its ancestors, too, and an ancestor need not have a notice of its own.
      for (let end = runId.length; end > 0; end = runId.lastIndexOf('.', end - 1))
        changed.add(runId.slice(0, end));
      if (changed.size > MOST_GATHERED) missed();
      schedule();
    },
    missed,
    stop() {
      cancel?.();
      cancel = undefined;
      changed.clear();
    },
  };
}
