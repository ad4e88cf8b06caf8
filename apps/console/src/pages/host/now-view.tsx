import { useMay } from '../../session/session.ts';
import { HealthCards } from './health-cards.tsx';
import { HeldRuns } from './held-runs.tsx';
import { MetricCharts } from './metrics/metric-charts.tsx';
import { SharingHosts } from './sharing-hosts.tsx';

/** Whether the host works now, and what it does. */
export function NowView() {
  const may = useMay();
  return (
    <div className="flex flex-col gap-4">
      <HealthCards />
      <MetricCharts />
      {may('host:operate') && <SharingHosts />}
      {may('host:operate') && <HeldRuns />}
    </div>
  );
}
