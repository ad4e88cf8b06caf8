import type { RunCommand } from '../commands.ts';
import type { Slice } from '../ports/store.ts';

/** Keeps an answer for other runs, in the same slice as the outcome that it came with. */
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
