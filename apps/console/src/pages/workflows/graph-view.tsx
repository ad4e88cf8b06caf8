import type { WorkflowDefinition } from '@baton/client';
import { lazy, Suspense } from 'react';
import { Card } from '../../ui/card.tsx';
import { useMediaQuery, WIDE } from '../../ui/media-query.ts';
import { Skeleton } from '../../ui/states.tsx';
import { NodeDetails } from './node-details.tsx';
import { VariableList } from './variable-list.tsx';

const DefinitionGraph = lazy(async () => ({
  default: (await import('../../graph/definition-graph.tsx')).DefinitionGraph,
}));

interface GraphViewProps {
  readonly definition: WorkflowDefinition;
  readonly selected: string | undefined;
  readonly onSelect: (nodeId: string | undefined) => void;
}

/** The drawing, and beside it the selected node or the variables of the workflow. */
export function GraphView({ definition, selected, onSelect }: GraphViewProps) {
  const isWide = useMediaQuery(WIDE);
  const node = definition.nodes.find(({ id }) => id === selected);
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <Card flush className="overflow-hidden">
        <div className="h-[26rem] lg:h-[34rem]">
          <Suspense fallback={<Skeleton rows={8} />}>
            <DefinitionGraph
              graph={definition}
              label={`Graph of ${definition.name ?? definition.id}`}
              direction={isWide ? 'right' : 'down'}
              selected={node?.id}
              onSelect={onSelect}
            />
          </Suspense>
        </div>
      </Card>
      {node === undefined ? (
        <VariableList variables={definition.variables ?? []} />
      ) : (
        <NodeDetails node={node} onClose={() => onSelect(undefined)} />
      )}
    </div>
  );
}
