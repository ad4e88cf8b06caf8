import { code, fieldTable, page } from './markdown.mjs';

export async function nodeTypePage() {
  const { NODE_SUMMARIES, PRODUCT_NODES } = await import('@baton/engine');
  const intro =
    'Every node type that a workflow can use, with the fields of its `config`. `workflow.schema.json` in ' +
    'this folder has the exact schemas, and a registration names each field that does not fit.';
  const parts = PRODUCT_NODES.ids.map((id) => {
    const { config, requires, scopes } = PRODUCT_NODES.of(id);
    const needs = [...(requires ?? []), ...(scopes ?? [])];
    return [
      `## ${id}`,
      NODE_SUMMARIES[id],
      needs.length > 0 && `Needs ${needs.map(code).join(', ')}.`,
      fieldTable(config),
    ]
      .filter(Boolean)
      .join('\n\n');
  });
  return page('Node types', intro, ...parts);
}
