import { describe, expect, it } from 'vitest';
import type { LoopDelays } from './metrics.ts';
import { createMetrics } from './metrics.ts';

const SECOND = 1_000_000_000;

/** An event loop with these measured times, in nanoseconds. */
function loopThatTook(...times: readonly number[]): LoopDelays & { resets: number } {
  const sorted = [...times].sort((a, b) => a - b);
  return {
    count: times.length,
    min: sorted[0] ?? Number.MAX_SAFE_INTEGER,
    max: sorted.at(-1) ?? 0,
    mean: times.reduce((sum, time) => sum + time, 0) / times.length,
    percentile: (percentile) => sorted[Math.ceil((percentile / 100) * sorted.length) - 1] ?? 0,
    resets: 0,
    reset() {
      this.resets += 1;
    },
  };
}

async function readings(delays: LoopDelays): Promise<Readonly<Record<string, number>>> {
  const text = await createMetrics(() => delays).text();
  const lines = [...text.matchAll(/^nodejs_eventloop_lag_(\w+)_seconds (\S+)$/gm)];
  return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]));
}

describe('the event-loop lag in the metrics', () => {
  it('is nothing on an idle host, which is looked at once a second', async () => {
    const idle = loopThatTook(SECOND, SECOND, SECOND);
    expect(await readings(idle)).toEqual({ min: 0, mean: 0, p50: 0, p90: 0, p99: 0, max: 0 });
  });

  it('is the time by which a look came late', async () => {
    const busy = loopThatTook(SECOND, SECOND, 1.5 * SECOND);
    expect(await readings(busy)).toMatchObject({ min: 0, p50: 0, p90: 0.5, p99: 0.5, max: 0.5 });
  });

  it('is nothing before the first look', async () => {
    expect(await readings(loopThatTook())).toMatchObject({ min: 0, mean: 0, max: 0 });
  });

  it('begins anew with every reading, after all of it was read', async () => {
    const busy = loopThatTook(1.5 * SECOND);
    expect(await readings(busy)).toMatchObject({ min: 0.5, max: 0.5 });
    expect(busy.resets).toBe(1);
  });
});
