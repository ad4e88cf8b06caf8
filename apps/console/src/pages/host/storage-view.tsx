import { useQuery } from '@tanstack/react-query';
import { baton } from '../../api/baton.ts';
import { bytesText, countText } from '../../ui/amounts.ts';
import { Card } from '../../ui/card.tsx';
import { Unloaded } from '../../ui/states.tsx';
import { Facts } from '../../ui/table.tsx';
import { Ago, durationText } from '../../ui/times.tsx';

/** What the host stores, and how long it keeps it. */
export function StorageView() {
  const facts = useQuery({
    queryKey: ['host', 'facts'],
    queryFn: ({ signal }) => baton.host.facts({ signal }),
    refetchInterval: 15_000,
  });
  if (facts.data === undefined) return <Unloaded query={facts} rows={4} />;
  const { storage, retention, startedAt } = facts.data;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card title="Storage">
        <Facts
          facts={[
            ['Kind', storage.kind],
            ['Size', bytesText(storage.bytes)],
            ['Runs stored so far', countText(storage.runs)],
            ['Events stored so far', countText(storage.events)],
            ['Host started', <Ago key="started" at={startedAt} />],
          ]}
        />
      </Card>
      <Card title="Retention">
        <Facts
          facts={[
            ['Runs that have ended', keptText(retention.runsMs)],
            ['Former versions of memory', keptText(retention.memoryMs)],
          ]}
        />
        <p className="text-xs text-muted mt-4">
          The operator sets both in the settings of the host. A run is never removed before it has ended.
        </p>
      </Card>
    </div>
  );
}

function keptText(ms: number | undefined): string {
  return ms === undefined ? 'are kept without a limit' : `are kept for ${durationText(ms)}`;
}
