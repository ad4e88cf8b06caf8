import type { RunRow } from '@baton/engine/ports';
import { isTerminal, isWaiting } from '@baton/protocol';
import type { McpCall } from './call.ts';
import { shownRow } from './shown-run.ts';

/**
 * Resolves when the run has ended, or when it or a run below it waits for an answer, or with `undefined` when the signal
 * is aborted. `onNews` is called whenever the run has moved. The watch begins before the row is read, so that a commit in
 * between is not missed.
 */
export async function followRun(
  call: McpCall,
  runId: string,
  signal: AbortSignal,
  onNews: (row: RunRow) => Promise<void>,
): Promise<RunRow | undefined> {
  let hasMoved = false;
  let wake = (): void => undefined;
  const stopWatching = call.host.feed.watchTree(runId, (notice) => {
    if (notice.runId !== runId && !isWaiting(notice.status)) return;
    hasMoved = true;
    wake();
  });
  const abort = (): void => wake();
  signal.addEventListener('abort', abort);
  try {
    while (!signal.aborted) {
      hasMoved = false;
      const row = await shownRow(call, runId);
      await onNews(row);
      if (isTerminal(row.status) || (await isAsking(call, runId))) return row;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (hasMoved || signal.aborted) resolve();
      });
    }
    return undefined;
  } finally {
    stopWatching();
    signal.removeEventListener('abort', abort);
  }
}

async function isAsking({ host, identity }: McpCall, runId: string): Promise<boolean> {
  return (await host.reads.firstInterrupt(identity.tenant, runId)) !== undefined;
}
