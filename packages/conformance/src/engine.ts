import type { Caller, Command } from '@baton/engine';
import { type EngineExtension, emit } from '@baton/engine/extension';
import { isJsonObject, type Json, type JsonObject } from '@baton/protocol';
import { CONFORMANCE_NODES } from './nodes/index.ts';

/** What conformance suites need of an engine: node types, variables that are set from outside, and switches. */
export const CONFORMANCE: EngineExtension = {
  nodes: CONFORMANCE_NODES,
  open() {
    const switched = new Map<string, boolean>();
    return {
      isOn: (capability) => switched.get(capability) ?? true,
      isRepeatable: ({ kind, request }) =>
        kind === 'model.call' && isJsonObject(request) && request.provider === 'mock',
      execute(request) {
        const { name, value } = request as unknown as Switch;
        if (value === null) switched.delete(name);
        else switched.set(name, value);
        return Object.fromEntries(switched);
      },
      executeOn(working, variables) {
        for (const [name, next] of Object.entries(variables))
          emit(working, 'variable.changed', { name, next });
      },
    };
  },
};

interface Switch {
  readonly name: string;
  /** `null` takes the switch away. */
  readonly value: boolean | null;
}

/** Switches an advertised capability off or on. The engine then behaves as if it lacked it. */
export function switchCapability(name: string, value: boolean | null): Command {
  return { kind: 'extension', request: { name, value } };
}

/** Writes variables of a run from outside. */
export function setVariables(
  caller: Caller,
  runId: string,
  variables: Readonly<Record<string, Json>>,
): Extract<Command, { kind: 'extension-on-run' }> {
  return { kind: 'extension-on-run', caller, runId, request: variables as JsonObject };
}
