import type { WorkflowDefinition } from '@baton/client';
import type { DrawableGraph } from '../../graph/layout.ts';
import { isObject } from '../../ui/content/value-text.ts';

/** A text in the editor: the definition, if the text is JSON, and as much of its graph as can be drawn. */
interface Draft {
  readonly definition?: WorkflowDefinition;
  readonly graph?: DrawableGraph;
}

export function readDraft(text: string): Draft {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  if (!isObject(value)) return {};
  return {
    // The host judges the definition; the compiler cannot.
    definition: value as unknown as WorkflowDefinition,
    graph: {
      // A node without an id keeps its place in the list, because problems name nodes by their places.
      nodes: list(value.nodes).map((node, index) => ({
        id: textOf(node.id) ?? `(node ${index + 1})`,
        typeId: textOf(node.typeId) ?? '',
        name: textOf(node.name),
      })),
      edges: list(value.edges).map((edge) => ({
        sourceNodeId: textOf(edge.sourceNodeId) ?? '',
        targetNodeId: textOf(edge.targetNodeId) ?? '',
        label: textOf(edge.label),
        sourceOutput: textOf(edge.sourceOutput),
        ...(isObject(edge.condition) && {
          condition: { left: textOf(edge.condition.left), expression: textOf(edge.condition.expression) },
        }),
      })),
    },
  };
}

function list(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map((one) => (isObject(one) ? one : {})) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
