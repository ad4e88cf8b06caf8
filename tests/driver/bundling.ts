import type { DebugBundle } from '@baton/protocol';
import * as importing from '../importing.ts';
import { type Bench, CALLER } from './test-engine.ts';

/** Takes a tree out of one host and into another. */

export function bundleOf(top: Bench, runId: string, tenant = CALLER.tenant): Promise<DebugBundle> {
  return importing.bundleOf(top, runId, { tenant });
}

/** Answers with the id that the run has there. */
export async function importInto(top: Bench, bundle: DebugBundle, tenant = CALLER.tenant): Promise<string> {
  const taken = await importing.importInto(top, bundle, { caller: { ...CALLER, tenant } });
  if (!taken.ok) throw new Error(JSON.stringify(taken));
  return taken.value.runId;
}
