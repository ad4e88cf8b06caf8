import { connect } from '@baton/client';
import type { QueryClient } from '@tanstack/react-query';
import { INBOX_KEY } from '../../layout/inbox-count.ts';
import { consoleFetch } from '../baton.ts';
import { noticeSignOut } from '../queries.ts';
import { setConnected } from './connection.ts';
import { type FeedItem, followFeed } from './feed.ts';
import { type ListedRuns, shortened, withChanges } from './listed-runs.ts';
import type { RunRow } from './run-row.ts';
import { LATEST_RUNS_KEY, RUN_LISTS_KEY, type RunListKey } from './runs-queries.ts';
import { spaced } from './spaced.ts';

/** What the host has to be asked again is asked at most this often. */
const ASKED_AGAIN_MS = 1_000;

/** Keeps every list of runs, the inbox and its badge current, with one connection for the whole console. */
export function liveRuns(queries: QueryClient): () => void {
  const stop = new AbortController();
  const again = {
    overview: spaced(() => void queries.invalidateQueries({ queryKey: LATEST_RUNS_KEY }), ASKED_AGAIN_MS),
    inbox: spaced(() => void queries.invalidateQueries({ queryKey: INBOX_KEY }), ASKED_AGAIN_MS),
    searches: spaced(() => askSearchesAgain(queries), ASKED_AGAIN_MS),
  };
  const changed = (runs: ReadonlyMap<string, RunRow>) => {
    if (applyChanges(queries, runs)) again.searches();
    if (concernsInbox(queries, runs)) again.inbox();
    again.overview();
  };
  const missed = () => readAgain(queries);
  void followFeed(
    { watch: watchRuns, changed, missed, connected: setConnected, failed: noticeSignOut, onWake, wait },
    stop.signal,
  );
  return () => stop.abort();
}

/** Whether a search has to be asked again, because only the host knows whether a new run fits it. */
function applyChanges(queries: QueryClient, changed: ReadonlyMap<string, RunRow>): boolean {
  let mustAsk = false;
  for (const [key, data] of queries.getQueriesData<ListedRuns>({ queryKey: RUN_LISTS_KEY })) {
    if (data === undefined) continue;
    const [, , filters] = key as RunListKey;
    const after = withChanges(data, changed, filters);
    queries.setQueryData(key, after.data);
    mustAsk ||= after.mustAsk;
  }
  return mustAsk;
}

function askSearchesAgain(queries: QueryClient): void {
  const isSearch = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
    (queryKey as RunListKey)[2]?.q !== undefined;
  queries.setQueriesData<ListedRuns>(
    { queryKey: RUN_LISTS_KEY, predicate: isSearch },
    (data) => data && shortened(data),
  );
  void queries.invalidateQueries({ queryKey: RUN_LISTS_KEY, predicate: isSearch });
}

/** A run that waits may have a new question, and a run of the inbox may have been answered. */
function concernsInbox(queries: QueryClient, changed: ReadonlyMap<string, RunRow>): boolean {
  const open = queries.getQueryData<readonly { readonly runId: string }[]>(INBOX_KEY) ?? [];
  if (open.some(({ runId }) => changed.has(runId))) return true;
  return [...changed.values()].some(
    (run) => run.status.startsWith('waiting') || run.waitingFor !== undefined,
  );
}

function readAgain(queries: QueryClient): void {
  queries.setQueriesData<ListedRuns>({ queryKey: RUN_LISTS_KEY }, (data) => data && shortened(data));
  void queries.invalidateQueries({ queryKey: ['runs'] });
  void queries.invalidateQueries({ queryKey: INBOX_KEY });
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** How often the clock is read, and the gap from which on the device was asleep. */
const TICK_MS = 5_000;
const GAP_MS = 20_000;

/**
 * Calls back when connections may have died without a sign: the clock has jumped, because the device was asleep, or the
 * network has returned. Browsers slow down the timers of a page that is not seen, so only a seen page is looked at.
 */
function onWake(wake: () => void): () => void {
  let last = Date.now();
  const look = () => {
    const now = Date.now();
    const wasAsleep = now - last > GAP_MS;
    last = now;
    if (wasAsleep && document.visibilityState === 'visible') wake();
  };
  const timer = setInterval(look, TICK_MS);
  document.addEventListener('visibilitychange', look);
  window.addEventListener('online', wake);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
    window.removeEventListener('online', wake);
  };
}

/** Gives up at the first failure, so that the page can say that the host does not answer. The feed is opened again. */
const once = connect({
  url: window.location.origin,
  fetch: consoleFetch,
  patience: { tries: 1, streamTries: 1 },
});

function watchRuns(signal: AbortSignal): AsyncIterable<FeedItem> {
  return once.runs.watch({ signal });
}
