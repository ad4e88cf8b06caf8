import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

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
export function reportEventLoopLag(
  registry: Registry,
  watch: (everyMs: number) => LoopDelays = watchLoop,
): void {
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
