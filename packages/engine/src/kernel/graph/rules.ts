import { BatonError } from '@baton/protocol';

/** One rule for definitions. */
export interface Rule {
  /** Throws a `BatonError` when the definition breaks the rule. */
  readonly check: () => void;
  /** The rule relies on those before it, so it says nothing about a definition that breaks one of them. */
  readonly needsEarlier?: true;
}

/** A long list would not help an author, and each problem costs memory. */
const MOST_PROBLEMS = 100;

export function problemsFoundBy(rules: readonly Rule[]): readonly BatonError[] {
  const problems: BatonError[] = [];
  for (const { check, needsEarlier } of rules) {
    if (problems.length === MOST_PROBLEMS) break;
    if (needsEarlier && problems.length > 0) continue;
    try {
      check();
    } catch (error) {
      if (!(error instanceof BatonError)) throw error;
      problems.push(error);
    }
  }
  return problems;
}
