import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { workflowsQuery } from '../../api/workflows.ts';
import { useMay } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { Table, Th } from '../../ui/table.tsx';
import { NewWorkflow } from './new-workflow.tsx';
import { WorkflowRow } from './workflow-row.tsx';

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
  if (list.isPending) return <Skeleton rows={8} />;
  if (list.data === undefined) return <ErrorState error={list.error} retry={() => void list.refetch()} />;
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
          <Table label="Workflows">
            <thead>
              <tr>
                <Th>Workflow</Th>
                <Th className="hidden md:table-cell">Version</Th>
                <Th className="hidden lg:table-cell">Nodes</Th>
                <Th className="hidden md:table-cell">Registered</Th>
                <Th>Newest run</Th>
              </tr>
            </thead>
            <tbody>
              {found.slice(0, most).map((entry) => (
                <WorkflowRow key={entry.workflowId} entry={entry} />
              ))}
            </tbody>
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
