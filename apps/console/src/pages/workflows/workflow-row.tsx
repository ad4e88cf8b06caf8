import type { WorkflowEntry } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { workflowQuery } from '../../api/workflows.ts';
import { useMay } from '../../session/session.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Td } from '../../ui/table.tsx';
import { Ago } from '../../ui/times.tsx';
import { newestRunsQuery } from './queries.ts';

/** One workflow. Its name and its nodes are in its definition, which is read when the row is shown. */
export function WorkflowRow({ entry }: { readonly entry: WorkflowEntry }) {
  const definition = useQuery(workflowQuery(entry.workflowId)).data;
  return (
    <tr className="hover:bg-sunken">
      <Td className="max-w-64 md:max-w-md">
        <Link
          to="/workflows/$workflowId"
          params={{ workflowId: entry.workflowId }}
          className="font-medium text-accent hover:underline break-words"
        >
          <bdi>{definition?.name ?? entry.workflowId}</bdi>
        </Link>
        <span className="block font-mono text-xs text-muted break-all">{entry.workflowId}</span>
      </Td>
      <Td className="hidden md:table-cell whitespace-nowrap">
        <span className="inline-flex items-center gap-2">
          {entry.version}
          {entry.shared && <Badge title="The operator has registered it for all tenants">Shared</Badge>}
        </span>
      </Td>
      <Td className="hidden lg:table-cell tabular-nums">{definition?.nodes.length ?? ''}</Td>
      <Td className="hidden md:table-cell whitespace-nowrap text-muted">
        <Ago at={entry.createdAt} />
      </Td>
      <Td>
        <NewestRun workflowId={entry.workflowId} />
      </Td>
    </tr>
  );
}

function NewestRun({ workflowId }: { readonly workflowId: string }) {
  const may = useMay()('runs:read');
  const { data } = useQuery({ ...newestRunsQuery(workflowId, 1), enabled: may });
  const newest = data?.[0];
  if (newest === undefined) return <span className="text-muted">{data === undefined ? '' : 'None yet'}</span>;
  return (
    <Link
      to="/runs/$runId"
      params={{ runId: newest.runId }}
      className="inline-flex flex-wrap items-center gap-x-2 gap-y-1 hover:underline"
    >
      <span className="sr-only">Newest run of {workflowId}</span>
      <StatusBadge status={newest.status} />
      <span className="text-muted whitespace-nowrap">
        <Ago at={newest.createdAt} />
      </span>
    </Link>
  );
}
