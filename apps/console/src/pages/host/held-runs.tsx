import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { baton } from '../../api/baton.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyText, shortId } from '../../ui/copy.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Table, Td, Th } from '../../ui/table.tsx';
import { Ago } from '../../ui/times.tsx';
import { tell, tellError } from '../../ui/toast.tsx';

const HELD_KEY = ['host', 'held-runs'] as const;

const REASONS: Readonly<Record<string, string>> = {
  lost: 'The process ended three times while it worked on the run.',
  stalled: 'The engine worked on the run for too long.',
  kin: 'Three other runs of the same version of its workflow are held.',
};

/** Runs that stopped the engine. They are not computed until somebody releases them. */
export function HeldRuns() {
  const held = useQuery({
    queryKey: HELD_KEY,
    queryFn: ({ signal }) => baton.host.heldRuns({ signal }),
    refetchInterval: 10_000,
  });
  const queries = useQueryClient();
  const release = useMutation({
    mutationFn: (runId: string) => baton.host.releaseHeldRun(runId),
    onSuccess: (_, runId) =>
      tell(`Run ${shortId(runId)} is released. If it stops the engine again, it is held again.`),
    onError: tellError,
    onSettled: () => queries.invalidateQueries({ queryKey: HELD_KEY }),
  });
  return (
    <Card title="Held runs" flush={held.data !== undefined && held.data.total > 0}>
      {held.isPending && <Skeleton rows={2} className="p-0" />}
      {held.isError && <ErrorState error={held.error} retry={() => void held.refetch()} />}
      {held.data?.total === 0 && (
        <p className="text-sm text-muted">No run is held. A run is held when it has stopped the engine.</p>
      )}
      {held.data !== undefined && held.data.total > 0 && (
        <Table label="Held runs">
          <thead>
            <tr>
              <Th>Run</Th>
              <Th>Workflow</Th>
              <Th>Tenant</Th>
              <Th>Why</Th>
              <Th>Held</Th>
              <Th>
                <span className="sr-only">Release</span>
              </Th>
            </tr>
          </thead>
          <tbody>
            {held.data.runs.map((run) => (
              <tr key={run.runId}>
                <Td>
                  <CopyText text={run.runId} shown={shortId(run.runId)} label="run id" />
                </Td>
                <Td className="break-all">
                  {run.workflowId}, version {run.workflowVersion}
                </Td>
                <Td>
                  <bdi>{run.tenant}</bdi>
                </Td>
                <Td className="min-w-48">{REASONS[run.reason] ?? run.reason}</Td>
                <Td className="whitespace-nowrap text-muted">
                  <Ago at={run.heldAt} />
                </Td>
                <Td className="text-right">
                  <Button
                    busy={release.isPending && release.variables === run.runId}
                    onClick={() => release.mutate(run.runId)}
                    aria-label={`Release run ${run.runId}`}
                  >
                    Release
                  </Button>
                </Td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  );
}
