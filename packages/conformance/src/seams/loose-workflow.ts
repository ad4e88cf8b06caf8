import { isJsonObject, type Json, type JsonObject } from '@baton/protocol';
import { type Routes, readDefinition, sendRegistration } from '@baton/server/extension';

/** Registering definitions as suites write them, which is looser than what authors may send. */
export const looseWorkflowSeam: Routes = (app, host) => {
  app.post(
    '/v1/host/sample/workflows',
    { schema: { body: { type: 'object' } }, config: { access: 'workflows:write' } },
    async (request, reply) => {
      const answer = await sendRegistration(
        host,
        request,
        reply,
        readDefinition(strictForm(request.body as JsonObject)),
      );
      reply.code(201);
      return answer;
    },
  );
};

/** The definition with `id` where the suite says `workflowId` or `nodeId`, and with the loop's edges. */
export function strictForm(loose: JsonObject): JsonObject {
  const { workflowId, ...given } = loose;
  const nodes = Array.isArray(given.nodes) ? given.nodes.map(strictNode) : given.nodes;
  const edges = given.edges ?? loopEdges(Array.isArray(nodes) ? nodes : []);
  return withoutAbsent({ ...given, id: given.id ?? workflowId, nodes, edges });
}

function strictNode(node: Json): Json {
  if (!isJsonObject(node)) return node;
  const { nodeId, ...given } = node;
  return withoutAbsent({ ...given, id: given.id ?? nodeId });
}

/** A supervisor and its dispatch node mean a loop, even when nobody has drawn it. */
function loopEdges(nodes: readonly Json[]): Json {
  const supervisors = idsOfType(nodes, 'core.orchestrator.supervisor');
  const dispatchers = idsOfType(nodes, 'core.dispatch');
  const [supervisor] = supervisors;
  const [dispatch] = dispatchers;
  if (supervisor === undefined || dispatch === undefined) return [];
  if (supervisors.length > 1 || dispatchers.length > 1) return [];
  return [
    { id: 'e1', sourceNodeId: supervisor, targetNodeId: dispatch },
    { id: 'e2', sourceNodeId: dispatch, targetNodeId: supervisor },
  ];
}

function idsOfType(nodes: readonly Json[], typeId: string): readonly Json[] {
  return nodes.flatMap((node) => (isJsonObject(node) && node.typeId === typeId && node.id ? [node.id] : []));
}

function withoutAbsent(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const present: Record<string, Json> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) present[name] = value;
  return present;
}
