import { numberOf, type Sample } from './parse-metrics.ts';

/** What the host did between two readings of its metrics. */
export interface Moment {
  /** The time of the second reading, in milliseconds. */
  readonly at: number;
  readonly eventsPerSecond: number;
  readonly runsPerSecond: number;
  readonly requestsPerSecond: number;
  /** The time in seconds within which half, and 99 of 100, of the requests were answered. Null without requests. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly memoryBytes: number;
  /** How late the event loop came to its timers, in seconds, for 99 of 100 timers. */
  readonly lag: number;
}

export interface Reading {
  readonly at: number;
  readonly samples: readonly Sample[];
}

const REQUESTS = 'baton_http_request_seconds';

/**
 * Streams are open for as long as somebody reads them, so their durations say nothing about the host. The readings of
 * this page itself are left out, too.
 */
function isAnswered({ labels: { route = '' } }: Sample): boolean {
  return !/(\/events|:watch|\/mcp|^\/metrics)$/.test(route);
}

export function momentBetween(before: Reading, after: Reading): Moment {
  const seconds = Math.max(0.001, (after.at - before.at) / 1000);
  const rate = (name: string) => risen(sum(before, name), sum(after, name)) / seconds;
  const buckets = bucketsBetween(before, after);
  return {
    at: after.at,
    eventsPerSecond: rate('baton_events_committed_total'),
    runsPerSecond: rate('baton_runs_created_total'),
    requestsPerSecond: (buckets.at(-1)?.count ?? 0) / seconds,
    p50: quantile(buckets, 0.5),
    p99: quantile(buckets, 0.99),
    memoryBytes: sum(after, 'process_resident_memory_bytes'),
    lag: sum(after, 'nodejs_eventloop_lag_p99_seconds'),
  };
}

function sum({ samples }: Reading, name: string): number {
  return samples.reduce((total, sample) => (sample.name === name ? total + sample.value : total), 0);
}

/** A counter that is lower than before began again at 0, because the host was started again. */
function risen(before: number, after: number): number {
  return after >= before ? after - before : after;
}

interface Bucket {
  /** The longest time in seconds that is counted here. */
  readonly upTo: number;
  /** Requests that took at most this long. */
  readonly count: number;
}

function bucketsBetween(before: Reading, after: Reading): readonly Bucket[] {
  const earlier = countsByBound(before);
  return [...countsByBound(after)]
    .map(([upTo, count]) => ({ upTo, count: risen(earlier.get(upTo) ?? 0, count) }))
    .sort((one, other) => one.upTo - other.upTo);
}

function countsByBound({ samples }: Reading): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const sample of samples) {
    if (sample.name !== `${REQUESTS}_bucket` || !isAnswered(sample)) continue;
    const upTo = numberOf(sample.labels.le ?? '');
    counts.set(upTo, (counts.get(upTo) ?? 0) + sample.value);
  }
  return counts;
}

/**
 * The time within which a share of the requests was answered, with the requests of a bucket spread evenly over it.
 * Requests beyond the last bound count as if they took just that long.
 */
export function quantile(buckets: readonly Bucket[], share: number): number | null {
  const total = buckets.at(-1)?.count ?? 0;
  if (total === 0) return null;
  const wanted = share * total;
  const index = buckets.findIndex(({ count }) => count >= wanted);
  const bucket = buckets[index];
  const below = buckets[index - 1] ?? { upTo: 0, count: 0 };
  if (bucket === undefined || !Number.isFinite(bucket.upTo)) return below.upTo;
  const within = bucket.count === below.count ? 1 : (wanted - below.count) / (bucket.count - below.count);
  return below.upTo + (bucket.upTo - below.upTo) * within;
}
