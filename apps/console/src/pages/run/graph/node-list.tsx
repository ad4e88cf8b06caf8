import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { LookBadge, StatusBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Table, Td, Th } from '../../../ui/table.tsx';
import { useAtMoment, useRunViews } from '../follow/run-context.tsx';
import { nodeAt, valueAt } from '../model/at.ts';
import { idBelow } from '../model/runs.ts';
import type { RunTrack } from '../model/tree.ts';
import { useGoToNode } from './graph-context.ts';
import type { GraphPart } from './graph-parts.ts';
import { nodeLook, nodeWord, shortType } from './node-words.ts';

const MOST_RUNS = 10;

type NodePart = Extract<GraphPart, { kind: 'node' }>;

/** The same as the graph, as a table for people who read it with the keyboard or a screen reader. */
export function NodeList({ parts }: { readonly parts: readonly GraphPart[] }) {
  const nodes = parts.filter((part): part is NodePart => part.kind === 'node');
  return (
    <Table label="Nodes and runs">
      <thead>
        <tr>
          <Th>Node or run</Th>
          <Th>State</Th>
          <Th>More</Th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((part) => (
          <NodeRows key={part.id} part={part} />
        ))}
      </tbody>
    </Table>
  );
}

function NodeRows({ part: { run, nodeId, name, typeId } }: { readonly part: NodePart }) {
  const node = run.nodes.get(nodeId);
  const now = useAtMoment((_tree, position) => nodeAt(run.nodes.get(nodeId), position));
  const goTo = useGoToNode();
  const [shown, setShown] = useState(MOST_RUNS);
  const children = node?.children ?? [];
  return (
    <>
      <tr>
        <Td>
          <button type="button" className="text-left hover:underline font-medium" onClick={() => goTo(node)}>
            <bdi>{name}</bdi>
          </button>
          <span className="block text-xs text-muted">{shortType(typeId)}</span>
        </Td>
        <Td>
          <LookBadge look={nodeLook(now)}>{nodeWord(now)}</LookBadge>
        </Td>
        <Td className="text-muted max-w-60 break-words">
          <bdi>{now?.text}</bdi>
        </Td>
      </tr>
      {children.slice(0, shown).map((child) => (
        <ChildRow key={child.runId} run={child} />
      ))}
      {children.length > shown && (
        <tr>
          <Td colSpan={3}>
            <Button kind="quiet" onClick={() => setShown(shown + 50)}>
              {children.length - shown} more runs
            </Button>
          </Td>
        </tr>
      )}
    </>
  );
}

function ChildRow({ run }: { readonly run: RunTrack }) {
  const { store } = useRunViews();
  const status = useAtMoment((_tree, position) => valueAt(run.status, position));
  return (
    <tr>
      <Td className="pl-8">
        <Link to="/runs/$runId" params={{ runId: run.runId }} className="text-accent hover:underline">
          <bdi>{run.lane.name}</bdi>
        </Link>
      </Td>
      <Td>
        {status === undefined ? (
          <LookBadge look="pending">Not begun</LookBadge>
        ) : (
          <StatusBadge status={status} />
        )}
      </Td>
      <Td className="text-muted">
        {run.role === 'critic' ? 'Critic' : 'Child run'}{' '}
        <span className="font-mono text-xs">{idBelow(store.tree, run.runId)}</span>
      </Td>
    </tr>
  );
}
