import { useQuery } from '@tanstack/react-query';
import { baton } from '../../api/baton.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Table, Td, Th } from '../../ui/table.tsx';
import { Ago } from '../../ui/times.tsx';

type Hosts = Awaited<ReturnType<typeof baton.host.hosts>>;

/** The hosts that share a database with this one. Nothing is shown for a host that has its data for itself. */
export function SharingHosts() {
  const found = useQuery({
    queryKey: ['host', 'hosts'],
    queryFn: ({ signal }) => baton.host.hosts({ signal }),
    refetchInterval: 2_000,
  });
  if (found.isPending) return <Skeleton rows={2} />;
  if (found.data === undefined) return <ErrorState error={found.error} retry={() => void found.refetch()} />;
  if (!found.data.isShared) return null;
  return (
    <Card title="Hosts that share the database">
      <HostTable hosts={found.data.hosts} />
    </Card>
  );
}

function HostTable({ hosts }: { readonly hosts: Hosts['hosts'] }) {
  return (
    <Table label="Hosts">
      <thead>
        <tr>
          <Th>Host</Th>
          <Th>Version</Th>
          <Th>Started</Th>
          <Th className="text-right">Last seen</Th>
          <Th className="text-right">Unfinished trees</Th>
          <Th className="text-right">Calls under way</Th>
        </tr>
      </thead>
      <tbody>
        {hosts.map((host) => (
          <tr key={host.number}>
            <Td>
              <bdi className="font-medium">{host.name}</bdi> {host.isThis && <Badge>this host</Badge>}{' '}
              {host.isDraining && <Badge>stops</Badge>}
              <span className="block text-xs text-muted break-all">{host.url}</span>
            </Td>
            <Td>{host.version}</Td>
            <Td className="whitespace-nowrap text-muted">
              <Ago at={host.startedAt} />
            </Td>
            <Td className="text-right tabular-nums whitespace-nowrap">
              {(host.silentMs / 1000).toFixed(1)} s ago
            </Td>
            <Td className="text-right tabular-nums">{host.trees}</Td>
            <Td className="text-right tabular-nums">{host.effects}</Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
