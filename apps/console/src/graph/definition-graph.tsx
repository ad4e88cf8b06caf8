import {
  Background,
  Controls,
  type Edge,
  MarkerType,
  type Node,
  type NodeMouseHandler,
  ReactFlow,
  useReactFlow,
} from '@xyflow/react';
import { useEffect, useMemo } from 'react';
import { DefinitionNode, type DefinitionNodeData } from './definition-node.tsx';
import { type Direction, type DrawableGraph, layoutOf, NODE_HEIGHT, NODE_WIDTH } from './layout.ts';
import '@xyflow/react/dist/base.css';
import './flow.css';

const FIT = { padding: 0.15, maxZoom: 1 };
const NODE_TYPES = { definition: DefinitionNode };

interface DefinitionGraphProps {
  readonly graph: DrawableGraph;
  readonly direction?: Direction;
  readonly label: string;
  /** Problems with a node, by its id. They are shown at the node. */
  readonly problems?: ReadonlyMap<string, readonly string[]>;
  readonly selected?: string | undefined;
  readonly onSelect?: (nodeId: string | undefined) => void;
}

/** The graph of a workflow as its author wrote it. Load it lazily: the drawing library is large. */
export function DefinitionGraph({
  graph,
  direction = 'right',
  label,
  problems,
  selected,
  onSelect,
}: DefinitionGraphProps) {
  const layout = useMemo(() => layoutOf(graph, direction), [graph, direction]);
  const nodes = useMemo(
    () =>
      layout.nodes.map((node): Node<DefinitionNodeData> => {
        const found = problems?.get(node.id) ?? [];
        return {
          id: node.id,
          type: 'definition',
          position: { x: node.x, y: node.y },
          width: NODE_WIDTH,
          height: NODE_HEIGHT,
          selected: node.id === selected,
          data: { name: node.name, typeId: node.typeId, direction, problems: found },
          ariaRole: 'button',
          domAttributes: { 'aria-roledescription': 'node' },
        };
      }),
    [layout, problems, selected, direction],
  );
  const edges = useMemo(
    () =>
      layout.edges.map(
        ({ id, source, target, label: text, goesBack }): Edge => ({
          id,
          source,
          target,
          type: 'smoothstep',
          sourceHandle: goesBack ? 'back-out' : 'out',
          targetHandle: goesBack ? 'back-in' : 'in',
          markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--line-strong)' },
          ...(goesBack && { style: { strokeDasharray: '5 4' } }),
          ...(text !== undefined && { label: text }),
        }),
      ),
    [layout],
  );
  const choose: NodeMouseHandler = (_, node) => onSelect?.(node.id);
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      onNodeClick={choose}
      onSelectionChange={({ nodes: chosen }) => {
        const [first] = chosen;
        if (first !== undefined && first.id !== selected) onSelect?.(first.id);
      }}
      onPaneClick={() => onSelect?.(undefined)}
      fitView
      fitViewOptions={FIT}
      minZoom={0.1}
      maxZoom={2}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      preventScrolling={false}
      zoomOnScroll={false}
      deleteKeyCode={null}
      aria-label={label}
    >
      <Background gap={20} color="var(--line)" />
      <Controls showInteractive={false} fitViewOptions={FIT} />
      <Fit width={layout.width} height={layout.height} />
    </ReactFlow>
  );
}

/** Shows the whole graph again when its size has changed, such as while its definition is written. */
function Fit({ width, height }: { readonly width: number; readonly height: number }) {
  const { fitView } = useReactFlow();
  useEffect(() => void fitView(FIT), [fitView, width, height]);
  return null;
}
