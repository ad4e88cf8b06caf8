import type { WorkflowDefinition } from '@baton/client';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { NodeIcon } from '../../graph/node-icon.tsx';
import { Badge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { useMediaQuery, WIDE } from '../../ui/media-query.ts';
import { Skeleton } from '../../ui/states.tsx';
import { Facts } from '../../ui/table.tsx';

const DefinitionGraph = lazy(async () => ({
  default: (await import('../../graph/definition-graph.tsx')).DefinitionGraph,
}));

interface GraphViewProps {
  readonly definition: WorkflowDefinition;
  readonly selected: string | undefined;
  readonly onSelect: (nodeId: string | undefined) => void;
}

/** The drawing, and beside it the selected node or the variables of the workflow. */
export function GraphView({ definition, selected, onSelect }: GraphViewProps) {
  const isWide = useMediaQuery(WIDE);
  const node = definition.nodes.find(({ id }) => id === selected);
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <Card flush className="overflow-hidden">
        <div className="h-[26rem] lg:h-[34rem]">
          <Suspense fallback={<Skeleton rows={8} />}>
            <DefinitionGraph
              graph={definition}
              label={`Graph of ${definition.name ?? definition.id}`}
              direction={isWide ? 'right' : 'down'}
              selected={node?.id}
              onSelect={onSelect}
            />
          </Suspense>
        </div>
      </Card>
      {node === undefined ? (
        <VariableList variables={definition.variables ?? []} />
      ) : (
        <NodeDetails node={node} onClose={() => onSelect(undefined)} />
      )}
    </div>
  );
}

type Node = WorkflowDefinition['nodes'][number];

interface NodeDetailsProps {
  readonly node: Node;
  readonly onClose: () => void;
}

/** What the author wrote about one node. */
function NodeDetails({ node, onClose }: NodeDetailsProps) {
  const facts: readonly (readonly [string, ReactNode])[] = [
    [
      'Id',
      <code key="id" className="font-mono break-all">
        {node.id}
      </code>,
    ],
    [
      'Type',
      <span key="type" className="inline-flex items-center gap-1.5 font-mono text-xs break-all">
        <NodeIcon typeId={node.typeId} size={14} />
        {node.typeId}
      </span>,
    ],
    ...(node.agent === undefined ? [] : [['Agent', <AgentLink key="agent" agent={node.agent} />] as const]),
    ...(node.disabled === true ? [['Disabled', 'The node is skipped.'] as const] : []),
    ...(node.notes === undefined ? [] : [['Notes', <bdi key="notes">{node.notes}</bdi>] as const]),
  ];
  return (
    <Card
      title={<bdi>{node.name ?? node.id}</bdi>}
      actions={
        <IconButton label="Close the node" onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      }
    >
      <div className="flex flex-col gap-4">
        <Facts facts={facts} />
        <Part title="Configuration" value={node.config} />
        <Part title="Inputs" value={node.inputs} />
        <Part title="Settings" value={node.settings} />
      </div>
    </Card>
  );
}

function AgentLink({ agent }: { readonly agent: NonNullable<Node['agent']> }) {
  return (
    <Link
      to="/agents/$agentId"
      params={{ agentId: agent.agentId }}
      className="text-accent hover:underline break-words"
    >
      {agent.name ?? agent.agentId}
    </Link>
  );
}

function Part({ title, value }: { readonly title: string; readonly value: object | undefined }) {
  if (value === undefined || Object.keys(value).length === 0) return null;
  return (
    <section className="min-w-0">
      <h3>{title}</h3>
      <div className="max-h-80 overflow-auto mt-1">
        {Object.entries(value).map(([name, part]) => (
          <JsonView key={name} name={name} value={part} depth={1} />
        ))}
      </div>
    </section>
  );
}

type Variables = NonNullable<WorkflowDefinition['variables']>;

/** The variables with which a run begins. */
function VariableList({ variables }: { readonly variables: Variables }) {
  return (
    <Card title="Variables">
      {variables.length === 0 ? (
        <p className="text-sm text-muted">This workflow declares no variables.</p>
      ) : (
        <ul className="flex flex-col gap-4">
          {variables.map((variable) => (
            <li key={variable.name} className="min-w-0">
              <p className="flex flex-wrap items-center gap-2">
                <code className="font-mono text-sm break-all">{variable.name}</code>
                <Badge>{variable.type}</Badge>
                {variable.required === true && <Badge>Required</Badge>}
                {variable.sensitive === true && (
                  <Badge title="The log keeps the value encrypted">Sensitive</Badge>
                )}
              </p>
              {variable.description !== undefined && (
                <p className="text-sm text-muted mt-0.5 break-words">
                  <bdi>{variable.description}</bdi>
                </p>
              )}
              {variable.defaultValue !== undefined && (
                <JsonView name="default" value={variable.defaultValue} />
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
