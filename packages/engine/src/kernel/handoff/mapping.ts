import { isJsonObject, type Json, type JsonObject } from '@baton/protocol';
import { own } from '../graph/own.ts';
import type { Assignments } from '../model.ts';

/** Variable mapping between a parent and its children: explicit names only, nothing passes by itself. */

export type Mapping = Readonly<Record<string, string>>;

const NO_MAPPING: Mapping = {};

/** A worker's own map replaces the default one; it is not merged with it. */
export function effectiveMapping(config: JsonObject, field: 'input' | 'output', workerId: string): Mapping {
  const perWorker = config[`perWorker${field === 'input' ? 'Input' : 'Output'}Mappings`];
  const ofWorker = isJsonObject(perWorker) ? own(perWorker, workerId) : undefined;
  return asMapping(ofWorker) ?? asMapping(config[`${field}Mapping`]) ?? NO_MAPPING;
}

/** `child name → parent name`: what the child is given. Unset parent variables stay undefined, never null. */
export function project(mapping: Mapping, parent: JsonObject): Assignments {
  const projected: Record<string, Json | undefined> = {};
  for (const [childName, parentName] of Object.entries(mapping))
    projected[childName] = own(parent, parentName);
  return projected;
}

/** `parent name → child name`: what the parent takes over from a completed child. */
export function harvest(mapping: Mapping, child: JsonObject): Assignments {
  return project(mapping, child);
}

export function isEmpty(mapping: Mapping): boolean {
  for (const _key in mapping) return false;
  return true;
}

function asMapping(value: Json | undefined): Mapping | undefined {
  return isJsonObject(value) ? (value as Mapping) : undefined;
}
