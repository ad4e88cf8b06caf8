import { BatonError, type WorkflowDefinition } from '@baton/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ReactFlowProvider } from '@xyflow/react';
import { useMemo, useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { LookBadge, StatusBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Choice } from '../../../ui/choice.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { Table, Td } from '../../../ui/table.tsx';
import { useAtMoment, useRunViews, useTreeLater } from '../follow/run-context.tsx';
import { useNarrow } from '../log/use-narrow.ts';
import { nodeAt, valueAt } from '../model/at.ts';
import { idBelow } from '../model/runs.ts';
import type { RunTrack } from '../model/tree.ts';
import { Flow, FlowTools } from './flow.tsx';
import { GraphCommandsProvider, useGoToNode } from './graph-context.ts';
import { FIRST_SHOWN, type GraphPart, graphOf, isOpen, type Opened } from './graph-parts.ts';
import { nodeLook, nodeWord, shortType } from './node-words.ts';

const FORMS = { drawing: 'Drawing', list: 'List' } as const;
const AT_FIRST: Opened = { toggled: new Set(), shown: new Map() };
const MORE_AT_ONCE = 12;

/** The workflow of the run, with the states of its nodes at the moment and the runs that they started. */
export function GraphPanel() {
  const { tree } = useTreeLater();
  const isNarrow = useNarrow();
  const [form, setForm] = useState<keyof typeof FORMS>(isNarrow ? 'list' : 'drawing');
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
            <Choice legend="Form" words={FORMS} chosen={form} onChoose={setForm} />
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

/**
 * The definition that a run has, which need not be the newest one. Without one, such as for an agent, the graph has the
 * nodes that the log names.
 */
const definitionQuery = (workflowId: string, version: number | undefined) =>
  queryOptions({
    queryKey: ['definition', workflowId, version] as const,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<WorkflowDefinition | null> => {
      try {
        return await baton.workflows.read(workflowId, { signal, ...(version !== undefined && { version }) });
      } catch (error) {
        if (error instanceof BatonError && (error.status === 404 || error.status === 403)) return null;
        throw error;
      }
    },
  });

const MOST_RUNS = 10;

type NodePart = Extract<GraphPart, { kind: 'node' }>;

/** The same as the graph, as a table for people who read it with the keyboard or a screen reader. */
function NodeList({ parts }: { readonly parts: readonly GraphPart[] }) {
  const nodes = parts.filter((part): part is NodePart => part.kind === 'node');
  return (
    <Table label="Nodes and runs" columns={['Node or run', 'State', 'More']}>
      {nodes.map((part) => (
        <NodeRows key={part.id} part={part} />
      ))}
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
