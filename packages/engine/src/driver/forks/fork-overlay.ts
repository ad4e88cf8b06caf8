import { BatonError, type JsonObject, type RunLimits, type RunOptionsOverlay } from '@baton/protocol';
import { refuseConfigurable } from '../../kernel/configurable.ts';
import { effectiveLimits, problemWithInputs } from '../../kernel/create.ts';
import type { Plan } from '../../kernel/graph/plan.ts';
import type { World } from '../../kernel/working-run.ts';

/** Checks the changes that the caller of a branch makes, by the rules for a new run. */

/** Refuses variables and options that do not fit the types and the schema of the workflow. */
export function refuseMisfits(
  { definition }: Plan,
  before: JsonObject | undefined,
  { variables = {}, configurable }: RunOptionsOverlay = {},
): void {
  if (configurable) refuseConfigurable(definition, { ...before, ...configurable } as JsonObject);
  const declared = definition.variables?.map(({ required: _required, ...variable }) => variable) ?? [];
  const misfit = problemWithInputs({ ...definition, variables: declared }, variables as JsonObject);
  if (misfit === undefined) return;
  const field = misfit.field.replace('inputs', 'runOptionsOverlay.variables');
  throw new BatonError('validation_error', `fork: ${field} ${misfit.problem}`, { field });
}

const LIMITS = ['recursionLimit', 'runTimeoutMs', 'maxLoopIterations'] as const;

/**
 * The limits of a branch that changes them. A run computes its limits when it starts, so a branch computes
 * them again.
 */
export function limitsAsked(
  { limits }: World,
  { definition }: Plan,
  before: JsonObject | undefined,
  asked: RunOptionsOverlay['configurable'],
): RunLimits | undefined {
  if (!LIMITS.some((name) => asked?.[name] !== undefined)) return undefined;
  return effectiveLimits(limits, definition, { ...before, ...asked } as JsonObject);
}
