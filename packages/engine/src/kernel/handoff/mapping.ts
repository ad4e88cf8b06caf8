import { isJsonObject, type Json, type JsonObject } from '@baton/protocol';
import { own } from '../graph/own.ts';
import type { Assignments } from '../model.ts';

/** Variable mapping between a parent and its children. Only variables that a mapping names are passed. */

export type Mapping = Readonly<Record<string, string>>;

const NO_MAPPING: Mapping = {};

/** The mapping of a worker replaces the default mapping. The two are not merged. */
export function effectiveMapping(config: JsonObject, field: 'input' | 'output', workerId: string): Mapping {
  const perWorker = config[`perWorker${field === 'input' ? 'Input' : 'Output'}Mappings`];
  const ofWorker = isJsonObject(perWorker) ? own(perWorker, workerId) : undefined;
  return asMapping(ofWorker) ?? asMapping(config[`${field}Mapping`]) ?? NO_MAPPING;
}

/** Maps `child name → parent name`: the inputs of the child. Unset variables are `undefined`, never null. */
export function project(mapping: Mapping, parent: JsonObject): Assignments {
  const projected: Record<string, Json | undefined> = {};
  for (const [childName, parentName] of Object.entries(mapping))
    projected[childName] = own(parent, parentName);
  return projected;
}

/** Maps `parent name → child name`: the variables that the parent takes over from a completed child. */
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
