import { Handle, Position } from '@xyflow/react';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { StatusIcon } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/class-names.ts';
import { LOOK_CLASSES, lookColour } from '../../../ui/status.ts';
import { useAtMoment } from '../follow/run-context.tsx';
import { begunCount, nodeAt } from '../model/at.ts';
import { LIGHT_CLASSES, useGoToNode, useGraphCommands, useNodeLight } from './graph-context.ts';
import type { GraphPart } from './graph-parts.ts';
import { nodeLook, nodeWord, shortType } from './node-words.ts';

const HANDLE = 'opacity-0 pointer-events-none';

/** A node of the workflow with its state at the moment. */
export function NodeCard({
  data,
}: {
  readonly data: { readonly part: Extract<GraphPart, { kind: 'node' }> };
}) {
  const { id, run, nodeId, name, typeId, childCount } = data.part;
  const node = run.nodes.get(nodeId);
  const now = useAtMoment((_tree, position) => nodeAt(run.nodes.get(nodeId), position));
  const light = useNodeLight(run.runId, nodeId);
  const goTo = useGoToNode();
  const look = nodeLook(now);
  return (
    <div
      className={classes(
        'w-full h-full rounded-lg border-2 bg-surface text-left flex flex-col',
        light !== undefined && LIGHT_CLASSES[light],
      )}
      style={{ borderColor: now === undefined ? 'var(--line)' : lookColour(look) }}
    >
      <Handle id="on" type="target" position={Position.Left} className={HANDLE} isConnectable={false} />
      <Handle id="back" type="target" position={Position.Bottom} className={HANDLE} isConnectable={false} />
      <button
        type="button"
        onClick={() => goTo(node)}
        disabled={now === undefined && node === undefined}
        className="nopan flex-1 min-h-0 px-2.5 py-1.5 text-left flex flex-col justify-center rounded-md"
      >
        <span className="flex items-center gap-1.5 min-w-0 w-full">
          <span className={classes('rounded-full p-0.5 shrink-0', LOOK_CLASSES[look])}>
            <StatusIcon look={look} size={13} />
          </span>
          <bdi className="text-sm font-medium truncate">{name}</bdi>
        </span>
        <span className="text-xs text-muted truncate w-full">
          {nodeWord(now)} · {shortType(typeId)}
        </span>
        <span className="text-xs truncate w-full min-h-4" title={now?.text}>
          <bdi>{now?.text}</bdi>
        </span>
      </button>
      {childCount > 0 && <ChildrenToggle id={id} childCount={childCount} runs={node?.children ?? []} />}
      <Handle id="on" type="source" position={Position.Right} className={HANDLE} isConnectable={false} />
      <Handle id="back" type="source" position={Position.Bottom} className={HANDLE} isConnectable={false} />
    </div>
  );
}

interface ChildrenToggleProps {
  readonly id: string;
  readonly childCount: number;
  readonly runs: Parameters<typeof begunCount>[0];
}

/** Opens and closes the cards of the runs that a part has started. */
export function ChildrenToggle({ id, childCount, runs }: ChildrenToggleProps) {
  const { isOpen, toggle } = useGraphCommands();
  const begun = useAtMoment((_tree, position) => begunCount(runs, position));
  const open = isOpen(id, childCount);
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={() => toggle(id)}
      className="nopan flex items-center gap-1 h-7 px-2.5 text-xs text-muted border-t border-line hover:bg-sunken rounded-b-md"
    >
      {open ? <ChevronDown size={12} aria-hidden /> : <ChevronRight size={12} aria-hidden />}
      {begun} of {childCount} {childCount === 1 ? 'run' : 'runs'} begun
    </button>
  );
}
