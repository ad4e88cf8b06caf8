import type { AgentEntry, AgentTool } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import type { AgentSearch, AgentView } from '../../search.ts';
import { useMay } from '../../session/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton, Unloaded } from '../../ui/states.tsx';
import { Facts } from '../../ui/table.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { RunsView } from '../workflows/runs-view.tsx';
import { AgentState } from './agents-page.tsx';
import { MemoryView } from './memory/memory-view.tsx';
import { agentQuery, modelsQuery, toolsQuery } from './queries.ts';
import { TalkView } from './talk/talk-view.tsx';
import { UsageView } from './usage/usage-view.tsx';

/** One agent: what it is, conversations with it, what it remembers, and what it uses. */
export function AgentPage() {
  const { agentId } = useParams({ from: '/agents/$agentId' });
  const agent = useQuery(agentQuery(agentId));
  if (agent.data !== undefined) return <Agent key={agentId} agent={agent.data} />;
  return (
    <Page title={agentId}>
      <Unloaded query={agent} rows={10} />
    </Page>
  );
}

function Agent({ agent }: { readonly agent: AgentEntry }) {
  const may = useMay();
  const search = useSearch({ from: '/agents/$agentId' });
  const navigate = useNavigate({ from: '/agents/$agentId' });
  const go = (next: AgentSearch) => void navigate({ search: next, replace: true, resetScroll: false });
  const { agentId } = agent;
  const readable: readonly Tab<AgentView>[] = [
    {
      name: 'talk',
      label: 'Conversations',
      content: () => (
        <TalkView
          agentId={agentId}
          conversation={search.conversation}
          onOpen={(conversation) => go({ view: 'talk', ...(conversation !== undefined && { conversation }) })}
        />
      ),
    },
    {
      name: 'memory',
      label: 'Memory',
      content: () => (
        <MemoryView
          agentId={agentId}
          run={search.run}
          at={search.at}
          onChange={(place) => go({ view: 'memory', ...place })}
        />
      ),
    },
    { name: 'usage', label: 'Usage', content: () => <UsageView agentId={agentId} /> },
    { name: 'runs', label: 'Runs', content: () => <RunsView workflowId={`agent:${agentId}`} /> },
  ];
  const tabs: readonly Tab<AgentView>[] = [
    { name: 'manifest', label: 'Manifest', content: () => <ManifestView agent={agent} /> },
    ...(may('runs:read') ? readable : []),
  ];
  return (
    <Page
      title={agent.persona}
      heading={
        <>
          <bdi>{agent.persona}</bdi>
          <Badge>{agent.modelClass}</Badge>
          <span className="text-sm font-normal">
            <AgentState agent={agent} />
          </span>
        </>
      }
      {...(agent.description !== undefined && { description: <bdi>{agent.description}</bdi> })}
    >
      <Tabs
        label="Views of the agent"
        tabs={tabs}
        selected={tabs.find(({ name }) => name === search.view)?.name ?? 'manifest'}
        onSelect={(view) => go({ view })}
      />
    </Page>
  );
}

/** What the manifest of an agent says. The host does not show the prompt. */
export function ManifestView({ agent }: { readonly agent: AgentEntry }) {
  const served = useQuery(modelsQuery).data?.classes.find(
    ({ modelClass }) => modelClass === agent.modelClass,
  );
  return (
    <div className="grid gap-4 lg:grid-cols-2 items-start">
      <Card title="Manifest">
        <Facts
          facts={[
            ['Id', <CopyText key="id" text={agent.agentId} label="agent id" />],
            ['Label', <bdi key="label">{agent.label}</bdi>],
            ['Pack', `${agent.packName}, version ${agent.packVersion}`],
            [
              'Class of models',
              served === undefined
                ? agent.modelClass
                : `${agent.modelClass}, now ${served.provider}/${served.model}`,
            ],
            ['Task and result', agent.hasHandoffSchemas ? 'Checked against schemas' : 'Of any form'],
            [
              'Confidence',
              agent.confidenceThreshold === undefined
                ? 'The floor of the host counts'
                : `A result below ${agent.confidenceThreshold} is put to a person`,
            ],
            ['Remembers', memoryText(agent)],
          ]}
        />
      </Card>
      <Card title="Tools">
        <Tools agentId={agent.agentId} />
        <Lacking agent={agent} />
      </Card>
    </div>
  );
}

/** The tools of the agent on this host, and what a call of each needs. */
function Tools({ agentId }: { readonly agentId: string }) {
  const { data, error } = useQuery(toolsQuery(agentId));
  if (error !== null) return <ErrorState error={error} />;
  if (data === undefined) return <Skeleton rows={2} />;
  if (data.tools.length === 0 && data.missing.length === 0)
    return <p className="text-sm text-muted">This agent has no tools.</p>;
  return (
    <>
      <ul className="flex flex-col gap-3">
        {data.tools.map((tool) => (
          <Tool key={tool.id} tool={tool} />
        ))}
        {data.missing.map((id) => (
          <li key={id} className="flex flex-wrap items-center gap-2 text-sm">
            <code className="font-mono break-all">{id}</code>
            <Missing />
          </li>
        ))}
      </ul>
      <p className="text-xs text-muted mt-4">
        A tool runs with the scopes of the run that the agent works in, and never with more.
      </p>
    </>
  );
}

function Tool({ tool: { id, description, scopes, approval, repeatable } }: { readonly tool: AgentTool }) {
  return (
    <li className="text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <code className="font-mono break-all">{id}</code>
        {scopes.map((scope) => (
          <Badge key={scope}>needs {scope}</Badge>
        ))}
        {approval && <Badge>a person approves each call</Badge>}
        {repeatable === 'no' && <Badge>never repeated</Badge>}
      </div>
      {description !== undefined && <p className="text-muted mt-1 break-words">{description}</p>}
    </li>
  );
}

function Missing() {
  return (
    <span className="inline-flex items-center gap-1 text-changed text-xs">
      <TriangleAlert size={14} aria-hidden />
      Not on this host
    </span>
  );
}

/** What the agent asks for besides its tools, and does not get here. */
function Lacking({
  agent: { degraded = [], toolAllowlist, memoryDegraded },
}: {
  readonly agent: AgentEntry;
}) {
  const others = [
    ...degraded.filter((name) => !toolAllowlist.includes(name)),
    ...(memoryDegraded === true ? ['memory of the kind that it asks for'] : []),
  ];
  if (others.length === 0) return null;
  return (
    <div className="mt-4">
      <h3>What this host cannot give it now</h3>
      <p className="flex flex-wrap gap-1 mt-1">
        {others.map((name) => (
          <Badge key={name}>{name}</Badge>
        ))}
      </p>
    </div>
  );
}

function memoryText({ memoryShape = {} }: AgentEntry): string {
  const kinds = [
    memoryShape.conversation === true && 'its conversations',
    memoryShape.longTerm === true && 'facts over runs',
    memoryShape.scratchpad === true && 'notes within a run',
  ].filter((kind) => kind !== false);
  return kinds.length === 0 ? 'Nothing by itself' : kinds.join(', ');
}
