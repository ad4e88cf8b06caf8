import { BatonError, type EffectIntent, type Json, type JsonObject } from '@baton/protocol';
import type { Command } from '../commands.ts';
import type { WorkingRun } from '../kernel/working-run.ts';
import type { NodeTypes } from '../nodes/index.ts';

/** What may be added to an engine. The product adds nothing; the package for conformance suites does. */
export interface EngineExtension {
  /** The node types of the engine, in place of those of the product. */
  readonly nodes: NodeTypes;
  /** The part with a state, of which each engine has its own. */
  open(): OpenExtension;
}

export interface OpenExtension {
  /** Whether the engine has a capability that it would have without the extension. */
  isOn(capability: string): boolean;
  /** Whether a replay performs the effect too, because that costs nothing and changes nothing. */
  isRepeatable(effect: EffectIntent): boolean;
  /** Carries out a command for the engine as a whole. */
  execute(request: JsonObject): Json;
  /** Carries out a command for a run that has not ended. */
  executeOn(working: WorkingRun, request: JsonObject): void;
}

/** Refuses the commands that only an extension understands. */
export function refuseExtensionCommands({ kind }: Command): void {
  if (kind === 'extension' || kind === 'extension-on-run') {
    throw new BatonError('not_found', `This host has no command "${kind}".`);
  }
}
