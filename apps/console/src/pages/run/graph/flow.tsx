import { type Edge, MarkerType, type Node, ReactFlow, useReactFlow } from '@xyflow/react';
import { Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { IconButton } from '../../../ui/button.tsx';
import type { GraphLine, RunGraph } from './graph-parts.ts';
import { type Place, placesOf } from './layout.ts';
import { NodeCard } from './node-card.tsx';
import { MoreCard, RunCard } from './run-card.tsx';
import '@xyflow/react/dist/base.css';
import './flow.css';

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

/** Zooms with buttons, so that the wheel scrolls the page. */
export function FlowTools() {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  return (
    <div className="flex">
      <IconButton label="Zoom out of the graph" className="h-7! w-7!" onClick={() => void zoomOut()}>
        <ZoomOut size={17} aria-hidden />
      </IconButton>
      <IconButton label="Zoom into the graph" className="h-7! w-7!" onClick={() => void zoomIn()}>
        <ZoomIn size={17} aria-hidden />
      </IconButton>
      <IconButton label="Show the whole graph" className="h-7! w-7!" onClick={() => void fitView(FIT)}>
        <Maximize2 size={16} aria-hidden />
      </IconButton>
    </div>
  );
}
