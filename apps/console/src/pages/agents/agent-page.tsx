import type { AgentEntry } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMay } from '../../session/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { RunsView } from '../workflows/runs-view.tsx';
import type { AgentSearch, AgentView } from './agent-search.ts';
import { AgentState } from './agents-page.tsx';
import { ManifestView } from './manifest-view.tsx';
import { MemoryView } from './memory/memory-view.tsx';
import { agentQuery } from './queries.ts';
import { TalkView } from './talk/talk-view.tsx';
import { UsageView } from './usage/usage-view.tsx';

/** One agent: what it is, conversations with it, what it remembers, and what it uses. */
export function AgentPage() {
  const { agentId } = useParams({ from: '/agents/$agentId' });
  const agent = useQuery(agentQuery(agentId));
  if (agent.data !== undefined) return <Agent key={agentId} agent={agent.data} />;
  return (
    <Page title={agentId}>
      {agent.isPending ? (
        <Skeleton rows={10} />
      ) : (
        <ErrorState error={agent.error} retry={() => void agent.refetch()} />
      )}
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
