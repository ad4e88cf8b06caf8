import { isJsonObject } from '@baton/protocol';

/**
 * A field in words of the author: `nodes.1.config.delayMs` is `node "wait", config.delayMs`. Numbers of nodes and edges
 * are hard to find in a file, and ids are not.
 */
export function fieldPlace(definition: unknown, field: string): string {
  const [list, number, ...rest] = field.split('.');
  const given = isJsonObject(definition) && list !== undefined ? definition[list] : undefined;
  const item = Array.isArray(given) && number !== undefined ? given[Number(number)] : undefined;
  const within = rest.length === 0 ? '' : `, ${rest.join('.')}`;
  if (!isJsonObject(item)) return field;
  if (list === 'nodes' && typeof item.id === 'string') return `node "${item.id}"${within}`;
  if (list === 'edges') return `edge ${ends(item)}${within}`;
  if (list === 'variables' && typeof item.name === 'string') return `variable "${item.name}"${within}`;
  return field;
}

function ends({ sourceNodeId, targetNodeId }: Readonly<Record<string, unknown>>): string {
  return `"${String(sourceNodeId)}" → "${String(targetNodeId)}"`;
}
