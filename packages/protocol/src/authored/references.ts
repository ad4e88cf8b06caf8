import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** Resolves references. They can only refer to parts of the same schema. */

/** The parts of a schema that have a name. */
export interface Names {
  /** By `$id`. Such a part is the root for the references inside it. */
  readonly ids: Map<string, JsonObject>;
  /** `$anchor` and `$dynamicAnchor`, by the root that they belong to. */
  readonly anchors: Map<object, Map<string, JsonObject>>;
}

export function referredPart(reference: string, root: JsonObject, names: Names): Json | undefined {
  const [id = '', fragment = ''] = reference.split('#', 2);
  const resource = id === '' ? root : names.ids.get(id);
  if (resource === undefined || fragment === '') return resource;
  if (!fragment.startsWith('/')) return names.anchors.get(resource)?.get(fragment);
  return atPointer(resource, fragment);
}

function atPointer(root: JsonObject, pointer: string): Json | undefined {
  let part: Json | undefined = root;
  for (const step of pointer.slice(1).split('/')) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(part)) part = part[Number(name)];
    else part = isJsonObject(part) && Object.hasOwn(part, name) ? part[name] : undefined;
  }
  return part;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
