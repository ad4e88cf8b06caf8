import {
  Background,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeMouseHandler,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
} from '@xyflow/react';
import { useEffect, useMemo } from 'react';
import { type Direction, type DrawableGraph, layoutOf, NODE_HEIGHT, NODE_WIDTH } from './layout.ts';
import '@xyflow/react/dist/base.css';
import './flow.css';
import { CircleAlert } from 'lucide-react';
import { classes } from '../ui/class-names.ts';
import { NodeIcon } from './node-icon.tsx';

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

interface DefinitionNodeData extends Record<string, unknown> {
  readonly name: string;
  readonly typeId: string;
  readonly direction: Direction;
  readonly problems: readonly string[];
}

/** Where edges leave and enter a node. Edges that lead back use another side of the node, so that they can be told apart. */
const SIDES = {
  right: {
    in: Position.Left,
    out: Position.Right,
    back: Position.Bottom,
    backIn: { left: '35%' },
    backOut: { left: '65%' },
  },
  down: {
    in: Position.Top,
    out: Position.Bottom,
    back: Position.Right,
    backIn: { top: '30%' },
    backOut: { top: '70%' },
  },
} as const;

function DefinitionNode({ data, selected }: NodeProps<Node<DefinitionNodeData>>) {
  const sides = SIDES[data.direction];
  const isFaulty = data.problems.length > 0;
  return (
    <div
      title={isFaulty ? data.problems.join('\n') : `${data.name} (${data.typeId})`}
      className={classes(
        'h-full w-full rounded-lg border px-3 flex items-center gap-2.5 text-left',
        isFaulty ? 'bg-danger-ground border-danger' : 'bg-raised border-line-strong',
        selected && 'ring-2 ring-accent border-accent',
      )}
    >
      <Handle id="in" type="target" position={sides.in} />
      <Handle id="back-in" type="target" position={sides.back} style={sides.backIn} />
      <span className={isFaulty ? 'text-danger' : 'text-accent'}>
        {isFaulty ? <CircleAlert size={16} aria-hidden /> : <NodeIcon typeId={data.typeId} />}
      </span>
      <span className="min-w-0">
        <span className="block text-sm font-medium truncate">
          <bdi>{data.name}</bdi>
        </span>
        <span className="block text-xs text-muted truncate font-mono">{shortType(data.typeId)}</span>
      </span>
      <Handle id="out" type="source" position={sides.out} />
      <Handle id="back-out" type="source" position={sides.back} style={sides.backOut} />
    </div>
  );
}

/** The last part of the type id is the part that tells types apart. */
function shortType(typeId: string): string {
  return typeId.replace(/^(core|vendor\.baton)\./, '');
}
