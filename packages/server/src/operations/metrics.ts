import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Tick } from '../storage/membership.ts';
import { type RequestTimes, requestTimes } from './request-times.ts';

/** The metrics of the host, for Prometheus. */
export interface Metrics {
  readonly runsCreated: Pick<Counter, 'inc'>;
  readonly eventsCommitted: Pick<Counter, 'inc'>;
  readonly effectsPerformed: Pick<Counter<'kind'>, 'inc'>;
  readonly spans: { inc(labels: { readonly result: SpanResult }, count?: number): void };
  readonly streams: Pick<Gauge, 'inc' | 'dec'>;
  readonly requests: RequestTimes;
  readonly engineRestarts: Pick<Counter, 'inc'>;
  /** `count` is called each time the metrics are read. */
  watchHeld(count: () => Promise<number>): void;
  /** `length` gives the length of the engine's queue, and is called each time the metrics are read. */
  watchQueue(length: () => number): void;
  /** `newest` gives the last tick, and is called each time the metrics are read. */
  watchHosts(newest: () => Tick): void;
  readonly contentType: string;
  text(): Promise<string>;
}

/** `dropped`: too many waited. `failed`: the collector did not take them. */
type SpanResult = 'exported' | 'dropped' | 'failed';

const NEVER_MS = 24 * 60 * 60 * 1000;

/** Tests replace `watchLoop`. */
export function createMetrics(watchLoop?: (everyMs: number) => LoopDelays): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // The default measures the event loop a hundred times a second. `reportEventLoopLag` replaces its values.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  reportEventLoopLag(registry, watchLoop);
  return {
    runsCreated: new Counter({
      name: 'baton_runs_created_total',
      help: 'Runs started by callers',
      registers,
    }),
    eventsCommitted: new Counter({
      name: 'baton_events_committed_total',
      help: 'Events committed',
      registers,
    }),
    effectsPerformed: new Counter({
      name: 'baton_effects_performed_total',
      help: 'Effects performed',
      labelNames: ['kind'],
      registers,
    }),
    spans: new Counter({
      name: 'baton_spans_total',
      help: 'Spans that were exported, dropped because too many waited, or lost because an export failed',
      labelNames: ['result'],
      registers,
    }),
    streams: new Gauge({ name: 'baton_sse_clients', help: 'Event streams that are open', registers }),
    requests: requestTimes(registry),
    engineRestarts: new Counter({
      name: 'baton_engine_restarts_total',
      help: 'Times that the engine thread ended unexpectedly and was replaced',
      registers,
    }),
    watchHeld(count) {
      new Gauge({
        name: 'baton_held_runs',
        help: 'Runs that stopped the engine and are held',
        registers,
        async collect() {
          this.set(await count());
        },
      });
    },
    watchQueue(length) {
      new Gauge({
        name: 'baton_engine_queue',
        help: 'Commands accepted and not yet answered',
        registers,
        collect() {
          this.set(length());
        },
      });
    },
    watchHosts: (newest) => gaugesOfHosts(registers, newest),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function gaugesOfHosts(registers: Registry[], newest: () => Tick): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge('baton_hosts', 'Hosts that share the database', () => newest().hosts.length);
  gauge(
    'baton_tick_delay_seconds',
    'How much later than planned the last tick was',
    () => newest().delayMs / 1000,
  );
  gauge(
    'baton_clock_offset_seconds',
    'The clock of the database minus the clock of this host',
    () => newest().clockOffsetMs / 1000,
  );
}

/** Measures every request of the routes that are added after this call. */
export function measureRequests(app: FastifyInstance, metrics: Pick<Metrics, 'requests'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    // An unknown address has no route. Its text must not become a new label value.
    const route = request.routeOptions.url ?? 'none';
    metrics.requests.observe(request.method, route, reply.raw.statusCode, reply.elapsedTime / 1000);
    done();
  });
}

/** How late timers ran on the event loop of the main thread since the metrics were last read. */

/** Statistics of the measured times between two timers, in nanoseconds. */
export interface LoopDelays {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  percentile(percentile: number): number;
  reset(): void;
}

/** One measurement a second. The usual hundred would be most of the work of an idle host. */
const LOOK_EVERY_MS = 1000;

/** The last reading resets the statistics. */
const READINGS: readonly (readonly [name: string, of: (delays: LoopDelays) => number])[] = [
  ['min', ({ min }) => min],
  ['mean', ({ mean }) => mean],
  ['p50', (delays) => delays.percentile(50)],
  ['p90', (delays) => delays.percentile(90)],
  ['p99', (delays) => delays.percentile(99)],
  ['max', readAndReset],
];

/**
 * Replaces the default readings, which include the whole time between two measurements: with one measurement
 * a second, an idle host would report a lag of one second.
 */
function reportEventLoopLag(registry: Registry, watch: (everyMs: number) => LoopDelays = watchLoop): void {
  const delays = watch(LOOK_EVERY_MS);
  registry.removeSingleMetric('nodejs_eventloop_lag_stddev_seconds');
  for (const [reading, of] of READINGS) {
    const name = `nodejs_eventloop_lag_${reading}_seconds`;
    registry.removeSingleMetric(name);
    new Gauge({
      name,
      help: `How late the event loop came to its timers since the last reading: ${reading}`,
      registers: [registry],
      collect() {
        const looked = delays.count > 0;
        const seconds = of(delays) / 1e9 - LOOK_EVERY_MS / 1000;
        this.set(looked ? Math.max(0, seconds) : 0);
      },
    });
  }
}

function readAndReset(delays: LoopDelays): number {
  const { max } = delays;
  delays.reset();
  return max;
}

function watchLoop(everyMs: number): LoopDelays {
  const histogram = monitorEventLoopDelay({ resolution: everyMs });
  histogram.enable();
  return histogram;
}
