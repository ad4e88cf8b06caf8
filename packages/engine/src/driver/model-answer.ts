import type { RunCommand } from '../commands.ts';
import type { Slice } from '../ports/store.ts';

/** Keeps the answer of a model for other runs of the tenant. It is stored in the slice of its outcome. */
export function withModelAnswer<Outcome extends { readonly slice?: Slice }>(
  outcome: Outcome,
  command: RunCommand,
  tenant: string,
  at: number,
): Outcome {
  if (command.kind !== 'effect-outcome' || command.outcome.kind !== 'done') return outcome;
  const { keep } = command.outcome;
  if (keep === undefined || outcome.slice === undefined) return outcome;
  return { ...outcome, slice: { ...outcome.slice, modelAnswer: { tenant, ...keep, at } } };
}
