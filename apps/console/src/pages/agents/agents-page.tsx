import type { AgentEntry } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Badge, LookBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton, Unloaded } from '../../ui/states.tsx';
import type { StatusLook } from '../../ui/status.ts';
import { Table, Td } from '../../ui/table.tsx';
import { agentsQuery, modelsQuery } from './queries.ts';

/** The agents that the person may run, and the models that serve them. */
export function AgentsPage() {
  return (
    <Page
      title="Agents"
      description="An agent is a prompt, a class of models, tools and schemas. Workflows give agents work, and you can talk to one yourself."
    >
      <Inventory />
      <ModelCard />
    </Page>
  );
}

function Inventory() {
  const agents = useQuery(agentsQuery);
  const [words, setWords] = useState('');
  if (agents.isPending) return <Skeleton rows={8} />;
  if (agents.data === undefined)
    return <ErrorState error={agents.error} retry={() => void agents.refetch()} />;
  if (agents.data.length === 0) {
    return (
      <EmptyState title="No agent is registered">
        Register one with <code className="font-mono text-text">baton agents register</code>.
      </EmptyState>
    );
  }
  const wanted = words.trim().toLowerCase();
  const found = agents.data.filter(({ agentId, persona, description = '' }) =>
    `${agentId} ${persona} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <div className="max-w-sm">
        <TextField
          label="Search agents"
          quiet
          type="search"
          placeholder="Search by name, id or description"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      <Card flush>
        {found.length === 0 ? (
          <EmptyState title={`No agent fits “${words}”`} />
        ) : (
          <Table
            label="Agents"
            columns={[
              'Agent',
              ['Models', 'hidden md:table-cell'],
              ['Tools', 'hidden md:table-cell'],
              'State',
            ]}
          >
            {found.map((agent) => (
              <AgentRow key={agent.agentId} agent={agent} />
            ))}
          </Table>
        )}
      </Card>
    </>
  );
}

function AgentRow({ agent }: { readonly agent: AgentEntry }) {
  return (
    <tr className="hover:bg-sunken">
      <Td className="max-w-64 md:max-w-md">
        <Link
          to="/agents/$agentId"
          params={{ agentId: agent.agentId }}
          className="font-medium text-accent hover:underline break-words"
        >
          <bdi>{agent.persona}</bdi>
        </Link>
        <span className="block font-mono text-xs text-muted break-all">{agent.agentId}</span>
        {agent.description !== undefined && (
          <span className="block text-sm text-muted break-words mt-0.5">
            <bdi>{agent.description}</bdi>
          </span>
        )}
      </Td>
      <Td className="hidden md:table-cell">
        <Badge>{agent.modelClass}</Badge>
      </Td>
      <Td className="hidden md:table-cell">
        <span className="flex flex-wrap gap-1">
          {agent.toolAllowlist.length === 0 ? (
            <span className="text-muted">None</span>
          ) : (
            agent.toolAllowlist.map((tool) => <Badge key={tool}>{tool}</Badge>)
          )}
        </span>
      </Td>
      <Td className="whitespace-nowrap">
        <AgentState agent={agent} />
      </Td>
    </tr>
  );
}

/** Whether the host can give the agent everything that its manifest asks for. */
export function AgentState({ agent }: { readonly agent: AgentEntry }) {
  const missing = (agent.degraded?.length ?? 0) + (agent.memoryDegraded === true ? 1 : 0);
  if (missing === 0) return <span className="text-muted">Complete</span>;
  return (
    <span className="inline-flex items-center gap-1.5 text-changed" title={agent.degraded?.join(', ')}>
      <TriangleAlert size={15} aria-hidden />
      {missing === 1 ? '1 part is missing' : `${missing} parts are missing`}
    </span>
  );
}

const STATES: Readonly<Record<string, readonly [StatusLook, string]>> = {
  working: ['completed', 'Working'],
  failing: ['waiting', 'The last call failed'],
  unavailable: ['failed', 'Not asked for a while'],
};

/** Which model serves each class, and whether its provider works. */
export function ModelCard() {
  const models = useQuery({ ...modelsQuery, refetchInterval: 15_000 });
  return (
    <Card title="Models" flush={models.data !== undefined}>
      <Unloaded query={models} rows={4} className="p-0" />
      {models.data !== undefined && (
        <Table
          label="Models"
          columns={['Class', 'Model', ['In its place', 'hidden md:table-cell'], 'Provider']}
        >
          {models.data.classes.map(({ modelClass, provider, model, fallbacks }) => {
            const state = models.data.providers.find((one) => one.provider === provider)?.state ?? '';
            const [look, word] = STATES[state] ?? (['pending', 'Not known'] as const);
            return (
              <tr key={modelClass}>
                <Td className="font-medium">{modelClass}</Td>
                <Td className="font-mono text-xs break-all">
                  {provider}/{model}
                </Td>
                <Td className="hidden md:table-cell font-mono text-xs text-muted">
                  {fallbacks.map((one) => `${one.provider}/${one.model}`).join(', ')}
                </Td>
                <Td className="whitespace-nowrap">
                  <LookBadge look={look}>{word}</LookBadge>
                </Td>
              </tr>
            );
          })}
        </Table>
      )}
    </Card>
  );
}
