import { BatonError, type Json } from '@baton/protocol';
import type { Command } from '../commands.ts';
import type { WorkingRun } from '../kernel/working-run.ts';
import type { NodeTypes } from '../nodes/index.ts';
import type { SettableToggles } from './toggles.ts';

/** What an engine has beside the product when the conformance seams are open; see `src/conformance.ts`. */
export interface Conformance {
  readonly nodes: NodeTypes;
  toggles(): SettableToggles;
  setVariables(working: WorkingRun, variables: Readonly<Record<string, Json>>): void;
}

/** Without the seams there are no such commands. */
export function refuseSeamCommands({ kind }: Command): void {
  if (kind === 'set-variables' || kind === 'toggle-capability') {
    throw new BatonError('not_found', `This host has no command "${kind}".`);
  }
}
