import type { WorkflowDefinition, WorkflowEntry } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { workflowQuery, workflowsQuery } from '../../api/workflows.ts';
import { useMay } from '../../session/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { StartDialog } from '../runs/start/start-dialog.tsx';
import { DefinitionView } from './definition-view.tsx';
import { GraphView } from './graph-view.tsx';
import { RunsView } from './runs-view.tsx';
import { VersionsView } from './versions-view.tsx';
import type { WorkflowView } from './workflow-search.ts';

/** One workflow: its graph, its definition, its versions and its runs. */
export function WorkflowPage() {
  const { workflowId } = useParams({ from: '/workflows/$workflowId' });
  const definition = useQuery(workflowQuery(workflowId));
  const entry = useQuery(workflowsQuery).data?.find((one) => one.workflowId === workflowId);
  if (definition.isPending) {
    return (
      <Page title={workflowId}>
        <Skeleton rows={10} />
      </Page>
    );
  }
  if (definition.data === undefined) {
    return (
      <Page title={workflowId}>
        <ErrorState error={definition.error} retry={() => void definition.refetch()} />
      </Page>
    );
  }
  return <Workflow key={workflowId} definition={definition.data} entry={entry} />;
}

interface WorkflowProps {
  readonly definition: WorkflowDefinition;
  readonly entry: WorkflowEntry | undefined;
}

function Workflow({ definition, entry }: WorkflowProps) {
  const may = useMay();
  const search = useSearch({ from: '/workflows/$workflowId' });
  const navigate = useNavigate({ from: '/workflows/$workflowId' });
  const [isStarting, setStarting] = useState(false);
  const name = definition.name ?? definition.id;
  const tabs: readonly Tab<WorkflowView>[] = [
    {
      name: 'graph',
      label: 'Graph',
      content: () => (
        <GraphView
          definition={definition}
          selected={search.node}
          onSelect={(node) =>
            void navigate({ search: { ...search, node }, replace: true, resetScroll: false })
          }
        />
      ),
    },
    { name: 'definition', label: 'Definition', content: () => <DefinitionView definition={definition} /> },
    { name: 'versions', label: 'Versions', content: () => <VersionsView workflowId={definition.id} /> },
    ...(may('runs:read')
      ? [{ name: 'runs', label: 'Runs', content: () => <RunsView workflowId={definition.id} /> } as const]
      : []),
  ];
  return (
    <Page
      title={name}
      heading={
        <>
          <bdi>{name}</bdi>
          {name !== definition.id && (
            <span className="font-mono text-sm font-normal text-muted break-all">{definition.id}</span>
          )}
          {entry !== undefined && <Badge>Version {entry.version}</Badge>}
          {entry?.shared === true && (
            <Badge title="The operator has registered it for all tenants">Shared</Badge>
          )}
        </>
      }
      {...(definition.description !== undefined && { description: <bdi>{definition.description}</bdi> })}
      actions={
        may('runs:create') && (
          <Button kind="primary" icon={<Play size={15} aria-hidden />} onClick={() => setStarting(true)}>
            Start a run
          </Button>
        )
      }
    >
      <Tabs
        label="Views of the workflow"
        tabs={tabs}
        selected={search.view ?? 'graph'}
        onSelect={(view) => void navigate({ search: { view }, replace: true, resetScroll: false })}
      />
      {isStarting && <StartDialog workflowId={definition.id} onClose={() => setStarting(false)} />}
    </Page>
  );
}
