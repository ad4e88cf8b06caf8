import { bytesText } from '../../../ui/amounts.ts';
import { Card } from '../../../ui/card.tsx';
import { Chart } from '../../../ui/chart/chart.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import type { Moment } from './moments.ts';
import { useMoments } from './use-moments.ts';

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
