import { type Caller, type Engine, type Idempotency, type Reply, tooLargeDefinition } from '@baton/engine';
import { invalid, parse, requireWellFormed, toJson, WorkflowDefinition } from '@baton/protocol';
import { OPERATOR_TENANT } from '../auth/keyring.ts';
import type { NamedDefinition } from './read-folder.ts';

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

/**
 * Registers definitions for all tenants. An invalid definition makes the start fail, because the others may
 * need it.
 */
export async function registerAtStart(
  engine: Engine,
  definitions: readonly NamedDefinition[],
  onlyNew: boolean,
): Promise<void> {
  const registration = { caller: { tenant: OPERATOR_TENANT, principal: 'operator' }, shared: true, onlyNew };
  await Promise.all(
    definitions.map(async ({ source, definition }) => {
      const reply = await registerWorkflow(engine, readDefinition(definition, source), registration);
      if (!reply.ok) throw new Error(`${source}: ${reply.error.message}`);
    }),
  );
}
