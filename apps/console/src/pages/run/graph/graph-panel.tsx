import { useQuery } from '@tanstack/react-query';
import { ReactFlowProvider } from '@xyflow/react';
import { useMemo, useState } from 'react';
import { Card } from '../../../ui/card.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { useTreeLater } from '../follow/run-context.tsx';
import { useNarrow } from '../log/use-narrow.ts';
import { definitionQuery } from './definition.ts';
import { Flow, FlowTools } from './flow.tsx';
import { GraphCommandsProvider } from './graph-context.ts';
import { FIRST_SHOWN, graphOf, isOpen, type Opened } from './graph-parts.ts';
import { NodeList } from './node-list.tsx';

const AT_FIRST: Opened = { toggled: new Set(), shown: new Map() };
const MORE_AT_ONCE = 12;

/** The workflow of the run, with the states of its nodes at the moment and the runs that they started. */
export function GraphPanel() {
  const { tree } = useTreeLater();
  const isNarrow = useNarrow();
  const [form, setForm] = useState<'drawing' | 'list'>(isNarrow ? 'list' : 'drawing');
  const [opened, setOpened] = useState(AT_FIRST);
  const root = tree.runs.get(tree.rootId);
  const definition = useQuery({
    ...definitionQuery(root?.workflowId ?? '', root?.workflowVersion),
    enabled: root !== undefined && root.workflowId !== '',
  });
  const { laneCount } = tree;
  const nodeCount = root?.nodes.size;
  // Other events change the states of the parts, and those are read by the parts.
  const graph = useMemo(
    () => (root === undefined ? undefined : graphOf(definition.data ?? undefined, root, opened)),
    [root, definition.data, opened, laneCount, nodeCount],
  );
  const commands = useMemo(
    () => ({
      isOpen: (id: string, childCount: number) => isOpen(id, childCount, opened),
      toggle: (id: string) =>
        setOpened(({ toggled, shown }) => ({
          shown,
          toggled: toggled.has(id) ? without(toggled, id) : new Set([...toggled, id]),
        })),
      showMore: (owner: string) =>
        setOpened(({ toggled, shown }) => {
          const before = shown.get(owner) ?? FIRST_SHOWN;
          return { toggled, shown: new Map([...shown, [owner, before + MORE_AT_ONCE]]) };
        }),
    }),
    [opened],
  );
  return (
    <ReactFlowProvider>
      <Card
        title="Graph"
        flush
        actions={
          <>
            {form === 'drawing' && <FlowTools />}{' '}
            <fieldset className="flex rounded-md border border-line-strong overflow-hidden">
              <legend className="sr-only">Form</legend>
              {(['drawing', 'list'] as const).map((one) => (
                <button
                  key={one}
                  type="button"
                  aria-pressed={form === one}
                  onClick={() => setForm(one)}
                  className="px-2.5 h-7 text-xs text-muted aria-pressed:bg-accent-ground aria-pressed:text-accent aria-pressed:font-medium"
                >
                  {one === 'drawing' ? 'Drawing' : 'List'}
                </button>
              ))}
            </fieldset>
          </>
        }
      >
        {graph === undefined || definition.isLoading ? (
          <Skeleton />
        ) : (
          <GraphCommandsProvider value={commands}>
            <div className="h-96 overflow-y-auto relative">
              {form === 'list' ? <NodeList parts={graph.parts} /> : <Flow graph={graph} />}
            </div>
          </GraphCommandsProvider>
        )}
      </Card>
    </ReactFlowProvider>
  );
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((one) => one !== id));
}
