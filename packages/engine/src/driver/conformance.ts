import { BatonError, type Json } from '@baton/protocol';
import type { Command } from '../commands.ts';
import type { WorkingRun } from '../kernel/working-run.ts';
import type { NodeTypes } from '../nodes/index.ts';
import type { SettableToggles } from './toggles.ts';

/** The additions to an engine whose conformance seams are open; see `src/conformance.ts`. */
export interface Conformance {
  readonly nodes: NodeTypes;
  toggles(): SettableToggles;
  setVariables(working: WorkingRun, variables: Readonly<Record<string, Json>>): void;
}

/** Refuses the commands that exist only while the seams are open. */
export function refuseSeamCommands({ kind }: Command): void {
  if (kind === 'set-variables' || kind === 'toggle-capability') {
    throw new BatonError('not_found', `This host has no command "${kind}".`);
  }
}
