import type { PeerList } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { baton } from '../../api/baton.ts';
import { Badge, LookBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { Unloaded } from '../../ui/states.tsx';
import { Table, Td } from '../../ui/table.tsx';
import { Ago } from '../../ui/times.tsx';

type HostKey = Awaited<ReturnType<typeof baton.host.keys>>[number];

/** Who may use the host: the keys of people and programs, and the other hosts that it knows. */
export function AccessView() {
  return (
    <div className="flex flex-col gap-4">
      <Keys />
      <PeerCard />
    </div>
  );
}

function Keys() {
  const keys = useQuery({ queryKey: ['host', 'keys'], queryFn: ({ signal }) => baton.host.keys({ signal }) });
  return (
    <Card title="Keys" flush={keys.data !== undefined}>
      <Unloaded query={keys} rows={3} className="p-0" />
      {keys.data !== undefined && (
        <Table label="Keys" columns={['Name', 'Tenant', 'May', 'Made', 'State']}>
          {keys.data.map((key) => (
            <KeyRow key={key.id} value={key} />
          ))}
        </Table>
      )}
      <p className={`text-xs text-muted ${keys.data === undefined ? 'mt-3' : 'p-4'}`}>
        Keys are made and revoked with <code className="font-mono text-text">baton keys</code>. The secret
        part of a key is shown once, when it is made. Keys in the settings of the host are not listed.
      </p>
    </Card>
  );
}

function KeyRow({ value }: { readonly value: HostKey }) {
  return (
    <tr>
      <Td>
        <bdi className="font-medium">{value.principal}</bdi>
        <span className="block">
          <CopyText text={value.id} label="key id" />
        </span>
      </Td>
      <Td>
        <bdi>{value.tenant}</bdi>
      </Td>
      <Td className="min-w-64">
        <span className="flex flex-wrap gap-1">
          {value.scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      </Td>
      <Td className="whitespace-nowrap text-muted">
        <Ago at={value.createdAt} />
      </Td>
      <Td className="whitespace-nowrap">
        {value.revokedAt === undefined ? (
          <LookBadge look="completed">Valid</LookBadge>
        ) : (
          <LookBadge look="cancelled">Revoked</LookBadge>
        )}
      </Td>
    </tr>
  );
}

function PeerCard() {
  const peers = useQuery({ queryKey: ['host', 'peers'], queryFn: ({ signal }) => baton.peers({ signal }) });
  return (
    <Card title="Peers" flush={(peers.data?.peers.length ?? 0) > 0}>
      <Unloaded query={peers} rows={2} className="p-0" />
      {peers.data !== undefined && <Peers peers={peers.data.peers} />}
    </Card>
  );
}

const CREDENTIALS = {
  jwt: 'A token that this host signs',
  secret: 'A secret of the operator',
  mtls: 'A certificate',
} as const;

/** The other hosts that the operator knows. */
function Peers({ peers }: { readonly peers: PeerList['peers'] }) {
  if (peers.length === 0) {
    return (
      <p className="text-sm text-muted">
        This host knows no other host. Peers are added with{' '}
        <code className="font-mono text-text">baton peers add</code>.
      </p>
    );
  }
  return (
    <Table
      label="Peers"
      columns={['Peer', 'Kind', 'Asked with', 'Tenant of its runs', 'May use', 'Known since']}
    >
      {peers.map((peer) => (
        <tr key={peer.name}>
          <Td>
            <bdi className="font-medium">{peer.name}</bdi>
            <span className="block text-xs text-muted break-all">{peer.url}</span>
            {peer.hostId !== undefined && <CopyText text={peer.hostId} label="host id" />}
          </Td>
          <Td className="whitespace-nowrap">{peer.kind === 'baton' ? 'Baton host' : 'A2A agent'}</Td>
          <Td>{CREDENTIALS[peer.credentials]}</Td>
          <Td>
            <bdi>{peer.tenant}</bdi>
          </Td>
          <Td>
            <span className="flex flex-wrap gap-1">
              {peer.publishes.length === 0
                ? 'What is published to everybody'
                : peer.publishes.map((name) => <Badge key={name}>{name}</Badge>)}
            </span>
          </Td>
          <Td className="whitespace-nowrap text-muted">
            <Ago at={peer.createdAt} />
          </Td>
        </tr>
      ))}
    </Table>
  );
}
