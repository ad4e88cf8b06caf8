import { completeDefinition, WorkflowDefinition } from '@baton/protocol';
import { placed } from './layout.ts';

/** The order of the members of a definition is that of the protocol's schema, so that a change makes a small diff. */
const FIELDS = namesIn(WorkflowDefinition);
const OF_NODES = namesIn(WorkflowDefinition.properties.nodes.items);
const OF_EDGES = namesIn(itemsOf(WorkflowDefinition.properties.edges));
const OF_VARIABLES = namesIn(itemsOf(WorkflowDefinition.properties.variables));

/** The definition as a host registers it: with all defaults, positions, and its members in a stable order. */
export function stableDefinition(given: WorkflowDefinition): WorkflowDefinition {
  const definition = completeDefinition({ ...given, nodes: placed(given) });
  return inOrder(FIELDS, {
    ...definition,
    nodes: definition.nodes.map((node) => inOrder(OF_NODES, node)),
    edges: definition.edges?.map((edge) => inOrder(OF_EDGES, edge)),
    variables: definition.variables?.map((variable) => inOrder(OF_VARIABLES, variable)),
  });
}

function itemsOf(schema: unknown): unknown {
  return (schema as { readonly items: unknown }).items;
}

function namesIn(schema: unknown): readonly string[] {
  return Object.keys((schema as { readonly properties: object }).properties);
}

function inOrder<T extends object>(names: readonly string[], value: T): T {
  const given = value as Readonly<Record<string, unknown>>;
  const known = names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]);
  return Object.fromEntries(known) as T;
}
