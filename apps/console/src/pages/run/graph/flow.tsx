import { type Edge, Handle, MarkerType, type Node, Position, ReactFlow, useReactFlow } from '@xyflow/react';
import { useEffect, useMemo } from 'react';
import type { GraphLine, GraphPart, RunGraph } from './graph-parts.ts';
import { MOST_LISTED, type Place, placesOf } from './layout.ts';
import { ChildrenToggle, NodeCard } from './node-card.tsx';
import '@xyflow/react/dist/base.css';
import './flow.css';
import { Link } from '@tanstack/react-router';
import { StatusIcon } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/class-names.ts';
import { LOOK_CLASSES, LOOK_OF, lookColour, STATUS_WORDS } from '../../../ui/status.ts';
import { ZoomTools } from '../../../ui/zoom-tools.tsx';
import { useAtMoment, useRunViews } from '../follow/run-context.tsx';
import { nodeAt, valueAt } from '../model/at.ts';
import { idBelow } from '../model/runs.ts';
import type { NodeTrack } from '../model/tree.ts';
import { LIGHT_CLASSES, useGoToNode, useGraphCommands, useNodeLight } from './graph-context.ts';
import { nodeLook, nodeWord } from './node-words.ts';

const TYPES = { node: NodeCard, run: RunCard, more: MoreCard };

/** The drawing. Its cards read their states by themselves, so that a moving slider does not make it again. */
export function Flow({ graph }: { readonly graph: RunGraph }) {
  const shape = graph.parts.map(({ id, kind }) => `${kind} ${id}`).join('\n');
  const places = useMemo(() => placesOf(graph), [shape]);
  const nodes = useMemo(
    () =>
      graph.parts.flatMap((part): Node[] => {
        const place = places.get(part.id);
        if (place === undefined) return [];
        const { x, y, width, height } = place;
        return [
          {
            id: part.id,
            type: part.kind,
            position: { x, y },
            width,
            height,
            data: { part },
            style: CLICKABLE,
          },
        ];
      }),
    [graph, places],
  );
  const edges = useMemo(() => graph.lines.map((line) => edgeOf(line, places)), [graph, places]);
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={TYPES}
      fitView
      fitViewOptions={FIT}
      minZoom={0.1}
      maxZoom={1.5}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      zoomOnScroll={false}
      zoomOnDoubleClick={false}
      preventScrolling={false}
      onlyRenderVisibleElements={nodes.length > 60}
    >
      <FitAgain shape={shape} />
    </ReactFlow>
  );
}

/** The library takes the pointer from nodes that cannot be selected, and the cards have buttons. */
const CLICKABLE = { pointerEvents: 'all' } as const;

const FIT = { padding: 0.08, maxZoom: 1 } as const;

const STROKES = {
  flow: { stroke: 'var(--line-strong)', strokeWidth: 1.5 },
  handoff: { stroke: 'var(--running)', strokeWidth: 1.5, strokeDasharray: '5 4' },
  critic: { stroke: 'var(--paused)', strokeWidth: 1.5, strokeDasharray: '5 4' },
} as const;

function edgeOf({ id, from, to, kind, label }: GraphLine, places: ReadonlyMap<string, Place>): Edge {
  const style = STROKES[kind];
  const leadsBack = (places.get(to)?.x ?? 0) <= (places.get(from)?.x ?? 0);
  return {
    id,
    source: from,
    target: to,
    // A line that leads back goes around the cards in between.
    ...(leadsBack
      ? {
          type: 'smoothstep',
          sourceHandle: 'back',
          targetHandle: 'back',
          pathOptions: { offset: 22, borderRadius: 10 },
        }
      : { type: 'default', sourceHandle: 'on', targetHandle: 'on' }),
    style,
    markerEnd: { type: MarkerType.ArrowClosed, color: style.stroke, width: 16, height: 16 },
    ...(label !== undefined && { label }),
  };
}

/** Cards that were opened are brought into view. */
function FitAgain({ shape }: { readonly shape: string }) {
  const { fitView } = useReactFlow();
  useEffect(() => {
    const timer = setTimeout(() => void fitView(FIT), 30);
    return () => clearTimeout(timer);
  }, [shape, fitView]);
  return null;
}

export function FlowTools() {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  return (
    <ZoomTools
      labels={['Zoom out of the graph', 'Zoom into the graph', 'Show the whole graph']}
      onZoom={(factor) => void (factor > 1 ? zoomIn() : zoomOut())}
      onWhole={() => void fitView(FIT)}
    />
  );
}

const HANDLE = 'opacity-0 pointer-events-none';

/** A child run or a critic, with the states of its nodes at the moment. */
function RunCard({ data }: { readonly data: { readonly part: Extract<GraphPart, { kind: 'run' }> } }) {
  const { run, childCount } = data.part;
  const { store } = useRunViews();
  const status = useAtMoment((_tree, position) => valueAt(run.status, position));
  const light = useNodeLight(run.runId, undefined);
  const look = status === undefined ? 'pending' : LOOK_OF[status];
  const word = status === undefined ? 'Not begun' : STATUS_WORDS[status];
  const nodes = [...run.nodes.values()];
  return (
    <div
      className={classes(
        'w-full h-full rounded-lg border border-dashed bg-sunken flex flex-col text-xs',
        light !== undefined && LIGHT_CLASSES[light],
      )}
      style={{ borderColor: lookColour(look) }}
    >
      <Handle id="on" type="target" position={Position.Left} className={HANDLE} isConnectable={false} />
      <div className="px-2.5 pt-1.5 pb-1">
        <p className="flex items-center gap-1.5 min-w-0">
          <span className={classes('rounded-full p-0.5 shrink-0', LOOK_CLASSES[look])}>
            <StatusIcon look={look} size={12} />
          </span>
          <Link
            to="/runs/$runId"
            params={{ runId: run.runId }}
            className="nopan font-medium truncate hover:underline"
            title={`Open ${run.workflowId}`}
          >
            <bdi>{run.lane.name}</bdi>
          </Link>
          <span className="ml-auto text-muted font-mono">{idBelow(store.tree, run.runId)}</span>
        </p>
        <p className="text-muted">
          {run.role === 'critic' ? 'Critic' : 'Child run'} · {word}
        </p>
      </div>
      <ul className="px-2.5 flex-1 min-h-0">
        {nodes.slice(0, MOST_LISTED).map((node) => (
          <NodeLine key={node.nodeId} node={node} />
        ))}
        {nodes.length > MOST_LISTED && (
          <li className="text-muted h-5">{nodes.length - MOST_LISTED} more nodes</li>
        )}
      </ul>
      {childCount > 0 && <ChildrenToggle id={run.runId} childCount={childCount} runs={run.children} />}
      <Handle id="on" type="source" position={Position.Right} className={HANDLE} isConnectable={false} />
    </div>
  );
}

function NodeLine({ node }: { readonly node: NodeTrack }) {
  const now = useAtMoment((_tree, position) => nodeAt(node, position));
  const goTo = useGoToNode();
  const look = nodeLook(now);
  return (
    <li className="h-5">
      <button
        type="button"
        onClick={() => goTo(node)}
        className="nopan flex items-center gap-1.5 w-full min-w-0 text-left hover:underline"
      >
        <span className="shrink-0" style={{ color: lookColour(look) }}>
          <StatusIcon look={look} size={11} />
        </span>
        <bdi className="truncate">{node.nodeId}</bdi>
        <span className="ml-auto text-muted whitespace-nowrap">{nodeWord(now)}</span>
      </button>
    </li>
  );
}

/** Stands for the runs that have no card yet. */
function MoreCard({ data }: { readonly data: { readonly part: Extract<GraphPart, { kind: 'more' }> } }) {
  const { showMore } = useGraphCommands();
  const { owner, hidden } = data.part;
  return (
    <div className="w-full h-full">
      <Handle id="on" type="target" position={Position.Left} className={HANDLE} isConnectable={false} />
      <button
        type="button"
        onClick={() => showMore(owner)}
        className="nopan w-full h-full rounded-lg border border-dashed border-line-strong bg-sunken text-sm text-muted hover:text-text"
      >
        {hidden} more {hidden === 1 ? 'run' : 'runs'}
      </button>
    </div>
  );
}
