import type { PeerList } from '@baton/client';
import { Badge } from '../../ui/badge.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { Table, Td, Th } from '../../ui/table.tsx';
import { Ago } from '../../ui/times.tsx';

const CREDENTIALS = {
  jwt: 'A token that this host signs',
  secret: 'A secret of the operator',
  mtls: 'A certificate',
} as const;

/** The other hosts that the operator knows. */
export function Peers({ peers }: { readonly peers: PeerList['peers'] }) {
  if (peers.length === 0) {
    return (
      <p className="text-sm text-muted">
        This host knows no other host. Peers are added with{' '}
        <code className="font-mono text-text">baton peers add</code>.
      </p>
    );
  }
  return (
    <Table label="Peers">
      <thead>
        <tr>
          <Th>Peer</Th>
          <Th>Kind</Th>
          <Th>Asked with</Th>
          <Th>Tenant of its runs</Th>
          <Th>May use</Th>
          <Th>Known since</Th>
        </tr>
      </thead>
      <tbody>
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
      </tbody>
    </Table>
  );
}
