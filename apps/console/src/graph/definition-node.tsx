import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { CircleAlert } from 'lucide-react';
import { classes } from '../ui/class-names.ts';
import type { Direction } from './layout.ts';
import { NodeIcon } from './node-icon.tsx';

export interface DefinitionNodeData extends Record<string, unknown> {
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

export function DefinitionNode({ data, selected }: NodeProps<Node<DefinitionNodeData>>) {
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
