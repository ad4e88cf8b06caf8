import type { Caller, Engine, Idempotency, Reply } from '@baton/engine';
import { completeDefinition, parse, requireWellFormed, toJson, WorkflowDefinition } from '@baton/protocol';
import type { WorkflowShelf } from './shelf.ts';

export interface Registration {
  readonly caller: Caller;
  readonly idempotency?: Idempotency;
  /** True for workflows that every tenant may run. */
  readonly shared: boolean;
}

/** Checks a definition, fills in what its author left out and hands it to the engine. */
export async function registerWorkflow(
  engine: Engine,
  shelf: WorkflowShelf,
  given: unknown,
  registration: Registration,
  what = 'The workflow',
): Promise<Reply> {
  requireWellFormed(given, what);
  const definition = completeDefinition(parse(WorkflowDefinition, toJson(given), what));
  const reply = await engine.execute({ kind: 'register-workflow', definition, ...registration });
  shelf.changed();
  return reply;
}
