import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Path } from '../../ui/editor/loose-json.ts';
import type { Schema } from '../../ui/editor/schema.ts';
import type { OwnValue, SuggestionSource } from '../../ui/editor/suggestions.ts';

/** What the editor suggests: the schema of definitions, and the names that the definition itself has. */
export function useSuggestionSource(): SuggestionSource | undefined {
  const { data: schema } = useQuery({
    queryKey: ['workflow-schema'],
    queryFn: async () => {
      const { default: text } = await import('../../../../../docs/reference/workflow.schema.json?raw');
      return JSON.parse(text) as Schema;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useMemo(() => (schema === undefined ? undefined : { schema, valuesAt: ownValues }), [schema]);
}

/** Ids of nodes where a node is named, and names of variables where a variable is named. */
export function ownValues(document: unknown, path: Path): readonly OwnValue[] {
  const field = path.at(-1);
  if (path[0] === 'edges' && (field === 'sourceNodeId' || field === 'targetNodeId')) return nodeIds(document);
  if (path[0] === 'nodes' && field === 'nodeId') return nodeIds(document);
  if (field === 'variableName') return named(document, 'variables', 'name');
  return [];
}

function nodeIds(document: unknown): readonly OwnValue[] {
  return named(document, 'nodes', 'id');
}

function named(document: unknown, list: string, field: string): readonly OwnValue[] {
  const items = (document as Readonly<Record<string, unknown>> | null)?.[list];
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) => {
    const value = (item as Readonly<Record<string, unknown>> | null)?.[field];
    return typeof value === 'string' ? [{ value }] : [];
  });
}
