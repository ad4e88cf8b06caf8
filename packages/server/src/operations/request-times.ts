import type { Metric, Registry } from 'prom-client';

/**
 * The histogram of the times of requests, as Prometheus reads it. It gives the same text as a histogram of
 * prom-client, whose `observe` takes several microseconds, because it validates and hashes the labels every time.
 */
export interface RequestTimes {
  observe(method: string, route: string, status: number, seconds: number): void;
}

const NAME = 'baton_http_request_seconds';
const HELP = 'Requests by route and status, and how long they took';

/** Upper bounds in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface Times {
  readonly labels: { readonly method: string; readonly route: string; readonly status: string };
  /** Requests by bucket. The last bucket has no bound. */
  readonly counts: number[];
  seconds: number;
}

interface Value {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

export function requestTimes(registry: Registry): RequestTimes {
  const all: Times[] = [];
  const byRoute = new Map<string, Map<string, Map<number, Times>>>();

  function timesOf(method: string, route: string, status: number): Times {
    const byMethod = memberOf(byRoute, route, () => new Map<string, Map<number, Times>>());
    const byStatus = memberOf(byMethod, method, () => new Map<number, Times>());
    return memberOf(byStatus, status, () => {
      const labels = { method, route, status: String(status) };
      const times = { labels, counts: new Array<number>(BOUNDS.length + 1).fill(0), seconds: 0 };
      all.push(times);
      return times;
    });
  }

  const metric = {
    name: NAME,
    get: async () => ({
      name: NAME,
      help: HELP,
      type: 'histogram',
      values: all.flatMap(valuesOf),
      aggregator: 'sum',
    }),
  };
  registry.registerMetric(metric as unknown as Metric);
  return {
    observe(method, route, status, seconds) {
      const times = timesOf(method, route, status);
      let bucket = 0;
      while (seconds > (BOUNDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
      times.counts[bucket] = (times.counts[bucket] ?? 0) + 1;
      times.seconds += seconds;
    },
  };
}

function memberOf<K, V>(members: Map<K, V>, key: K, make: () => V): V {
  const known = members.get(key);
  if (known !== undefined) return known;
  const made = make();
  members.set(key, made);
  return made;
}

/** The count of a bucket includes the counts of the buckets below it. */
function valuesOf({ labels, counts, seconds }: Times): readonly Value[] {
  let sum = 0;
  const buckets = counts.map((count, bucket): Value => {
    sum += count;
    return { metricName: `${NAME}_bucket`, labels: { le: BOUNDS[bucket] ?? '+Inf', ...labels }, value: sum };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: seconds },
    { metricName: `${NAME}_count`, labels, value: sum },
  ];
}
