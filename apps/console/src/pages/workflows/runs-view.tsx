import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { StatusBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { shortId } from '../../ui/copy.tsx';
import { EmptyState, Unloaded } from '../../ui/states.tsx';
import { Table, Td } from '../../ui/table.tsx';
import { Ago, durationText } from '../../ui/times.tsx';
import { newestRunsQuery } from './queries.ts';

const MOST = 25;

/** The newest runs of a workflow, and the way to all of them. */
export function RunsView({ workflowId }: { readonly workflowId: string }) {
  const runs = useQuery({ ...newestRunsQuery(workflowId, MOST), refetchInterval: 5_000 });
  if (runs.data === undefined) return <Unloaded query={runs} rows={6} />;
  if (runs.data.length === 0) {
    return (
      <EmptyState title="No run of this workflow was started yet">
        Runs appear here, the newest first, as soon as somebody starts one.
      </EmptyState>
    );
  }
  return (
    <Card flush>
      <Table label="Runs of the workflow" columns={['Run', 'Status', 'Started', 'Lasted']}>
        {runs.data.map((run) => (
          <tr key={run.runId} className="hover:bg-sunken">
            <Td>
              <Link
                to="/runs/$runId"
                params={{ runId: run.runId }}
                className="font-mono text-xs text-accent hover:underline whitespace-nowrap"
                title={run.runId}
              >
                {shortId(run.runId)}
              </Link>
            </Td>
            <Td>
              <StatusBadge status={run.status} />
            </Td>
            <Td className="whitespace-nowrap text-muted">
              <Ago at={run.createdAt} />
            </Td>
            <Td className="whitespace-nowrap tabular-nums text-muted">
              {durationText(Date.parse(run.updatedAt) - Date.parse(run.createdAt))}
            </Td>
          </tr>
        ))}
      </Table>
      {runs.data.length === MOST && (
        <p className="p-3 text-sm">
          <Link to="/runs" search={{ workflow: workflowId, all: true }} className="text-accent underline">
            All runs of this workflow
          </Link>
        </p>
      )}
    </Card>
  );
}
