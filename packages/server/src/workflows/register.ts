import { type Caller, type Engine, type Idempotency, type Reply, tooLargeDefinition } from '@baton/engine';
import { invalid, parse, requireWellFormed, toJson, WorkflowDefinition } from '@baton/protocol';

interface Registration {
  readonly caller: Caller;
  readonly idempotency?: Idempotency;
  /** True for workflows that every tenant may run. */
  readonly shared: boolean;
  /** See `RegisterWorkflowCommand`. */
  readonly onlyNew?: boolean;
}

/** Sends a definition to the engine. Its form was checked before; the engine checks everything else. */
export async function registerWorkflow(
  engine: Engine,
  definition: WorkflowDefinition,
  registration: Registration,
): Promise<Reply> {
  // A definition that is too large is refused here, before it is sent to the engine thread.
  const large = tooLargeDefinition(definition);
  if (large) throw invalid('workflow', large);
  return engine.execute({ kind: 'register-workflow', definition, ...registration });
}

/** Reads a definition from a file or from the code of a seam. `what` names it in errors. */
export function readDefinition(given: unknown, what = 'The workflow'): WorkflowDefinition {
  requireWellFormed(given, what);
  return parse(WorkflowDefinition, toJson(given), what);
}
