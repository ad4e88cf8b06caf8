import type { WorkflowDefinition, WorkflowEntry } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useMemo, useState } from 'react';
import { baton } from '../../api/baton.ts';
import { workflowQuery, workflowsQuery } from '../../api/workflows.ts';
import type { WorkflowView } from '../../search.ts';
import { useMay } from '../../session/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyText, shortId } from '../../ui/copy.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Unloaded } from '../../ui/states.tsx';
import { Table, Td } from '../../ui/table.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { Ago } from '../../ui/times.tsx';
import { StartDialog } from '../runs/start/start-dialog.tsx';
import { DefinitionEditor } from './definition-editor.tsx';
import { GraphView } from './graph-view.tsx';
import { WORKFLOWS_KEY } from './queries.ts';
import { RunsView } from './runs-view.tsx';

/** One workflow: its graph, its definition, its versions and its runs. */
export function WorkflowPage() {
  const { workflowId } = useParams({ from: '/workflows/$workflowId' });
  const definition = useQuery(workflowQuery(workflowId));
  const entry = useQuery(workflowsQuery).data?.find((one) => one.workflowId === workflowId);
  if (definition.data === undefined) {
    return (
      <Page title={workflowId}>
        <Unloaded query={definition} rows={10} />
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

/** The definition of a workflow, which a person with the right to do so can change into a new version. */
export function DefinitionView({ definition }: { readonly definition: WorkflowDefinition }) {
  const may = useMay();
  const text = useMemo(() => JSON.stringify(definition, null, 2), [definition]);
  // A new version has another text. The editor then begins again, with the registered version.
  return <DefinitionEditor key={text} initial={text} mayWrite={may('workflows:write')} />;
}

/** The versions of a workflow that the host keeps. */
export function VersionsView({ workflowId }: { readonly workflowId: string }) {
  const list = useQuery({
    queryKey: [...WORKFLOWS_KEY, 'versions', workflowId],
    queryFn: ({ signal }) => baton.workflows.versions(workflowId, { signal }),
  });
  if (list.data === undefined) return <Unloaded query={list} rows={3} />;
  const versions = list.data;
  if (versions.length === 0) return <EmptyState title="The host keeps no version of this workflow" />;
  return (
    <Card flush>
      <Table label="Versions" columns={['Version', 'Registered', 'Digest']}>
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
      </Table>
    </Card>
  );
}
