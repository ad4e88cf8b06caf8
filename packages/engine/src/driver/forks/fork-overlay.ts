import { BatonError, type JsonObject, type RunLimits, type RunOptionsOverlay } from '@baton/protocol';
import { refuseConfigurable } from '../../kernel/configurable.ts';
import { effectiveLimits, problemWithInputs } from '../../kernel/create.ts';
import type { Plan } from '../../kernel/graph/plan.ts';
import type { World } from '../../kernel/working-run.ts';

/** What the caller of a branch changes, checked and settled as it would be for a new run. */

/** A caller who changes a variable or an option has to say what the workflow could have said. */
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

/** Limits were settled when the run began, so they are settled again when a branch asks for others. */
export function limitsAsked(
  { limits }: World,
  { definition }: Plan,
  before: JsonObject | undefined,
  asked: RunOptionsOverlay['configurable'],
): RunLimits | undefined {
  if (!LIMITS.some((name) => asked?.[name] !== undefined)) return undefined;
  return effectiveLimits(limits, definition, { ...before, ...asked } as JsonObject);
}
