import type { ServerResponse } from 'node:http';
import type { Notice } from '@baton/engine';
import type { RunRow } from '@baton/engine/ports';
import type { HostContext } from '../http/context.ts';
import type { RunOfTenant, RunSource } from '../runs/run-of.ts';

/** How far a run has come. Read from a notice or from a row of the store. */
interface Progress {
  readonly lastSequence: number;
  readonly status: Notice['status'];
}

/**
 * Resolves when the run has come far enough, the time is up, the caller has gone or the host stops. The watch
 * begins before the row is read, so that a commit in between is not missed.
 */
export function waitForRun(
  host: Pick<HostContext, 'feed' | 'lingering'> & RunSource,
  response: ServerResponse,
  run: RunOfTenant,
  milliseconds: number,
  farEnough: (progress: Progress) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopWatching = host.feed.watch(run.runId, (notice) => {
      if (farEnough(notice)) finish();
    });
    const timer = setTimeout(finish, milliseconds);
    const forget = host.lingering.add(finish);
    response.once('close', finish);
    function finish(): void {
      stopWatching();
      clearTimeout(timer);
      forget();
      response.off('close', finish);
      resolve();
    }
    // The caller may have gone before the watch began.
    if (response.destroyed) finish();
    host.reads.run(run.tenant, run.runId).then(
      (row) => {
        if (row === undefined || farEnough(progressOf(row))) finish();
      },
      (error) => {
        reject(error);
        finish();
      },
    );
  });
}

function progressOf(row: RunRow): Progress {
  return { lastSequence: row.head - 1, status: row.status };
}
