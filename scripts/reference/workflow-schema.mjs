/**
 * The JSON Schema of a workflow definition, with the configuration of each node type. Editors complete and check with
 * it, the editor of the console too.
 */
export async function workflowSchema() {
  const { NODE_SUMMARIES, PRODUCT_NODES } = await import('@baton/engine');
  const { WorkflowDefinition } = await import('@baton/protocol');
  const definition = structuredClone(WorkflowDefinition);
  const node = definition.properties.nodes.items;
  const types = PRODUCT_NODES.ids.filter((id) => id !== 'baton.remote');
  node.properties.typeId = {
    type: 'string',
    oneOf: types.map((id) => ({ const: id, description: NODE_SUMMARIES[id] })),
  };
  node.allOf = types.map((id) => ({
    if: { properties: { typeId: { const: id } }, required: ['typeId'] },
    // biome-ignore lint/suspicious/noThenProperty: this is the name of the keyword.
    then: { properties: { config: PRODUCT_NODES.of(id).config } },
  }));
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Workflow definition',
    ...definition,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
