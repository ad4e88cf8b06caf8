import {
  type EventType,
  isJsonObject,
  type Json,
  type JsonObject,
  type PayloadOf,
  type WorkflowDefinition,
} from '@baton/protocol';
import { MESSAGE_REDUCER } from '../fold/channels.ts';
import { isSealed } from './sealed.ts';
import type { Vault } from './vault.ts';

/** The values that a definition marks as sensitive. They are sealed before they are recorded. */
export interface Sensitivity {
  readonly variables: ReadonlySet<string>;
  readonly channels: ReadonlySet<string>;
  /** Sensitive ports by node, for nodes that declare some. */
  readonly outputs: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Nodes that set variables also return them as outputs, so sensitive variables are sensitive outputs too. */
export function sensitivePorts({ outputs, variables }: Sensitivity, nodeId: string): ReadonlySet<string> {
  return outputs.get(nodeId) ?? variables;
}

export type Seal = (name: string, value: Json) => string;

export function sealFor({ seal }: Pick<Vault, 'seal'>, tenant: string): Seal {
  return (name, value) => seal(tenant, name, value);
}

/** `undefined` for a definition without sensitive values, so that its runs have no extra work. */
export function sensitivityOf(definition: WorkflowDefinition): Sensitivity | undefined {
  const marked = (definition.variables ?? []).filter((variable) => variable.sensitive === true);
  const variables = new Set(marked.map((variable) => variable.name));
  const channels = Object.entries(definition.channels ?? {}).filter(
    ([, channel]) => channel.sensitive === true,
  );
  const outputs = new Map<string, ReadonlySet<string>>();
  for (const { id, outputSensitivity = {} } of definition.nodes) {
    const ports = Object.keys(outputSensitivity).filter((port) => outputSensitivity[port] === true);
    if (ports.length > 0) outputs.set(id, new Set([...ports, ...variables]));
  }
  if (variables.size === 0 && channels.length === 0 && outputs.size === 0) return undefined;
  return {
    variables,
    channels: new Set(channels.map(([name]) => name)),
    outputs,
  };
}

/** The payload with every sensitive value sealed. Values that are already sealed do not change. */
export function sealPayload<T extends EventType>(
  sensitivity: Sensitivity,
  seal: Seal,
  type: T,
  payload: PayloadOf<T>,
): PayloadOf<T> {
  const given = payload as JsonObject;
  const sealed = sealedMembers(sensitivity, seal, type, given);
  return (sealed === undefined ? given : { ...given, ...sealed }) as PayloadOf<T>;
}

function sealedMembers(
  sensitivity: Sensitivity,
  seal: Seal,
  type: EventType,
  given: JsonObject,
): JsonObject | undefined {
  const { variables, channels } = sensitivity;
  switch (type) {
    case 'run.started':
      return {
        inputs: sealMembers(variables, seal, given.inputs),
        variables: sealMembers(variables, seal, given.variables),
      };
    case 'baton.run.branched':
      return given.variables === undefined
        ? undefined
        : { variables: sealMembers(variables, seal, given.variables) };
    case 'variable.changed': {
      const name = String(given.name);
      if (given.next === undefined || !variables.has(name)) return undefined;
      return { next: sealOnce(seal, name, given.next) };
    }
    case 'channel.written': {
      const channel = String(given.channel);
      if (given.value === undefined || !channels.has(channel)) return undefined;
      return { value: sealWritten(seal, channel, String(given.reducer), given.value) };
    }
    case 'baton.effect.settled':
    case 'node.completed': {
      if (given.outputs === undefined) return undefined;
      return {
        outputs: sealMembers(sensitivePorts(sensitivity, String(given.nodeId)), seal, given.outputs),
      };
    }
    default:
      return undefined;
  }
}

export function sealOnce(seal: Seal, name: string, value: Json): string {
  return isSealed(value) ? value : seal(name, value);
}

/** Seals the members with these names, or all of them. */
export function sealMembers(
  names: ReadonlySet<string> | 'all',
  seal: Seal,
  given: Json | undefined,
): JsonObject {
  if (!isJsonObject(given)) return {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      names === 'all' || names.has(name) ? sealOnce(seal, name, value) : value,
    ]),
  );
}

/** Members that a reducer has to read are not sealed. */
function sealWritten(seal: Seal, channel: string, reducer: string, value: Json): Json {
  if (!isJsonObject(value)) return sealOnce(seal, channel, value);
  switch (reducer) {
    case 'merge':
      return sealMembers('all', seal, value);
    case 'votes':
      return sealMembers(new Set(['vote']), seal, value);
    case MESSAGE_REDUCER: {
      const { messageId, ...rest } = value;
      return { ...(messageId !== undefined && { messageId }), ...sealMembers('all', seal, rest) };
    }
    default:
      return sealOnce(seal, channel, value);
  }
}
