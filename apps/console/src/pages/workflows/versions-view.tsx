import { useQuery } from '@tanstack/react-query';
import { baton } from '../../api/baton.ts';
import { Card } from '../../ui/card.tsx';
import { CopyText, shortId } from '../../ui/copy.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { Table, Td, Th } from '../../ui/table.tsx';
import { Ago } from '../../ui/times.tsx';
import { WORKFLOWS_KEY } from './queries.ts';

/** The versions of a workflow that the host keeps. */
export function VersionsView({ workflowId }: { readonly workflowId: string }) {
  const list = useQuery({
    queryKey: [...WORKFLOWS_KEY, 'versions', workflowId],
    queryFn: ({ signal }) => baton.workflows.versions(workflowId, { signal }),
  });
  if (list.isPending) return <Skeleton rows={3} />;
  if (list.data === undefined) return <ErrorState error={list.error} retry={() => void list.refetch()} />;
  const versions = list.data;
  if (versions.length === 0) return <EmptyState title="The host keeps no version of this workflow" />;
  return (
    <Card flush>
      <Table label="Versions">
        <thead>
          <tr>
            <Th>Version</Th>
            <Th>Registered</Th>
            <Th>Digest</Th>
          </tr>
        </thead>
        <tbody>
          {versions.map(({ version, registeredAt, digest }) => (
            <tr key={version}>
              <Td className="tabular-nums">{version}</Td>
              <Td className="whitespace-nowrap text-muted">
                <Ago at={registeredAt} />
              </Td>
              <Td>
                <CopyText text={digest} shown={shortId(digest, 12)} label="digest" />
              </Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}
