import { useEffect, useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { bytesText } from '../../../ui/amounts.ts';
import { Card } from '../../../ui/card.tsx';
import { Chart } from '../../../ui/chart/chart.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { type Moment, momentBetween, type Reading } from './moments.ts';
import { parseMetrics } from './parse-metrics.ts';

/** Throughput and latency since the page was opened. */
export function MetricCharts() {
  const { moments, error } = useMoments();
  const times = moments.map(({ at }) => at / 1000);
  const line = (name: string, value: (moment: Moment) => number | null, colour: string, dashed = false) => ({
    name,
    values: moments.map(value),
    colour,
    dashed,
  });
  return (
    <Card title="Throughput and latency">
      {error !== undefined && (
        <div className="mb-4">
          <ErrorState error={error} />
        </div>
      )}
      <div className="grid gap-6 lg:grid-cols-2">
        <Chart
          title="Events and runs each second"
          times={times}
          lines={[
            line('Events stored', ({ eventsPerSecond }) => eventsPerSecond, '--running'),
            line('Runs started', ({ runsPerSecond }) => runsPerSecond, '--completed', true),
          ]}
          format={rateText}
        />
        <Chart
          title="Time to answer a request"
          times={times}
          lines={[
            line('Half of them within', ({ p50 }) => p50, '--completed'),
            line('99 of 100 within', ({ p99 }) => p99, '--waiting', true),
          ]}
          format={secondsText}
        />
        <Chart
          title="Requests each second"
          times={times}
          lines={[line('Requests', ({ requestsPerSecond }) => requestsPerSecond, '--paused')]}
          format={rateText}
        />
        <Chart
          title="Memory of the process"
          times={times}
          lines={[line('Resident', ({ memoryBytes }) => memoryBytes, '--running')]}
          format={(bytes) => bytesText(Math.round(bytes))}
        />
      </div>
      <p className="text-xs text-muted mt-4">
        The host is asked every two seconds while this page is open. Event streams and the questions of this
        page are not counted as requests.
      </p>
    </Card>
  );
}

function rateText(value: number): string {
  return value >= 100 || value === 0 ? value.toFixed(0) : value.toFixed(1);
}

function secondsText(seconds: number): string {
  const ms = seconds * 1000;
  return ms >= 1000 ? `${seconds.toFixed(1)} s` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

const EVERY_MS = 2_000;
const KEPT = 150;

interface Moments {
  readonly moments: readonly Moment[];
  /** Why the last reading failed. */
  readonly error?: unknown;
}

/** Reads the metrics again and again while the page is open and seen. Nothing is kept when the page is left. */
function useMoments(): Moments {
  const [state, setState] = useState<Moments>({ moments: [] });
  useEffect(() => {
    const leave = new AbortController();
    let last: Reading | undefined;
    const read = async () => {
      if (document.visibilityState !== 'visible') return;
      try {
        const text = await baton.host.metrics({ signal: leave.signal });
        const reading: Reading = { at: Date.now(), samples: parseMetrics(text) };
        const before = last;
        last = reading;
        if (before === undefined) return;
        setState(({ moments }) => ({ moments: [...moments, momentBetween(before, reading)].slice(-KEPT) }));
      } catch (error) {
        if (!leave.signal.aborted) setState(({ moments }) => ({ moments, error }));
      }
    };
    void read();
    const timer = setInterval(() => void read(), EVERY_MS);
    return () => {
      clearInterval(timer);
      leave.abort();
    };
  }, []);
  return state;
}
