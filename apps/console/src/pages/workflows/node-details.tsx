import type { WorkflowDefinition } from '@baton/client';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { NodeIcon } from '../../graph/node-icon.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Facts } from '../../ui/table.tsx';

type Node = WorkflowDefinition['nodes'][number];

interface NodeDetailsProps {
  readonly node: Node;
  readonly onClose: () => void;
}

/** What the author wrote about one node. */
export function NodeDetails({ node, onClose }: NodeDetailsProps) {
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
