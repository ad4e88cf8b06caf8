import type { WorkflowEntry } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { workflowQuery, workflowsQuery } from '../../api/workflows.ts';
import { useMay } from '../../session/session.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Unloaded } from '../../ui/states.tsx';
import { Table, Td } from '../../ui/table.tsx';
import { Ago } from '../../ui/times.tsx';
import { DefinitionEditor } from './definition-editor.tsx';
import { newestRunsQuery } from './queries.ts';

/** Each row asks the host about its workflow, so a long list is shown in parts. */
const ROWS = 50;

/** The workflows that the person may run. */
export function WorkflowsPage() {
  const may = useMay();
  const search = useSearch({ from: '/workflows' });
  const navigate = useNavigate({ from: '/workflows' });
  if (search.new === true) return <NewWorkflow onClose={() => void navigate({ search: {} })} />;
  return (
    <Page
      title="Workflows"
      description="A workflow is a graph of nodes. The host keeps every version, and a run keeps the version that it began with."
      actions={
        may('workflows:write') && (
          <Button
            kind="primary"
            icon={<Plus size={15} aria-hidden />}
            onClick={() => void navigate({ search: { new: true } })}
          >
            New workflow
          </Button>
        )
      }
    >
      <List
        words={search.q ?? ''}
        onSearch={(q) => void navigate({ search: q === '' ? {} : { q }, replace: true })}
      />
    </Page>
  );
}

interface ListProps {
  readonly words: string;
  readonly onSearch: (words: string) => void;
}

function List({ words, onSearch }: ListProps) {
  const list = useQuery(workflowsQuery);
  const [most, setMost] = useState(ROWS);
  if (list.data === undefined) return <Unloaded query={list} rows={8} />;
  if (list.data.length === 0) {
    return (
      <EmptyState title="No workflow is registered">
        Register one here, or with <code className="font-mono text-text">baton register workflow.json</code>.
      </EmptyState>
    );
  }
  const found = list.data.filter(({ workflowId }) => workflowId.includes(words.trim().toLowerCase()));
  return (
    <>
      <div className="max-w-sm">
        <TextField
          label="Search workflows"
          quiet
          type="search"
          placeholder="Search by id"
          value={words}
          onChange={(event) => onSearch(event.target.value)}
        />
      </div>
      <Card flush>
        {found.length === 0 ? (
          <EmptyState title={`No workflow has “${words}” in its id`} />
        ) : (
          <Table
            label="Workflows"
            columns={[
              'Workflow',
              ['Version', 'hidden md:table-cell'],
              ['Nodes', 'hidden lg:table-cell'],
              ['Registered', 'hidden md:table-cell'],
              'Newest run',
            ]}
          >
            {found.slice(0, most).map((entry) => (
              <WorkflowRow key={entry.workflowId} entry={entry} />
            ))}
          </Table>
        )}
        {found.length > most && (
          <div className="p-3 text-center">
            <Button onClick={() => setMost(most + ROWS)}>Show more of {found.length} workflows</Button>
          </div>
        )}
      </Card>
    </>
  );
}

/** A small workflow that works, to begin with. */
const TEMPLATE = `{
  "id": "my-workflow",
  "name": "My workflow",
  "nodes": [
    { "id": "ask", "typeId": "core.approvalGate", "config": { "title": "Go on?" } },
    { "id": "done", "typeId": "core.noop" }
  ],
  "edges": [{ "sourceNodeId": "ask", "targetNodeId": "done" }],
  "variables": []
}
`;

export function NewWorkflow({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <Page
      title="New workflow"
      description={
        <>
          Write the definition as JSON. <Kbd>Ctrl</Kbd> <Kbd>Space</Kbd> suggests what can be written at the
          cursor.
        </>
      }
      actions={<Button onClick={onClose}>Back to the workflows</Button>}
    >
      <DefinitionEditor
        initial={TEMPLATE}
        isNew
        mayWrite
        onRegistered={(workflowId) => void navigate({ to: '/workflows/$workflowId', params: { workflowId } })}
      />
    </Page>
  );
}

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
