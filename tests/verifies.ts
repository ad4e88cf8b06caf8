import { TestRunner } from 'vitest';
import { REQUIREMENTS, type RequirementId } from './requirements.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The requirements that the test verifies when it passes, beside those in its title. */
    verifies?: readonly RequirementId[];
    /** How many checks were left out because the protocol's reference is not at hand. */
    leftOut?: number;
  }
}

/**
 * Says that the test that calls it verifies these requirements, where they are too many for its title. Only a test that
 * ran and passed counts, which the reporter in `record-reporter.ts` sees at the end of the run.
 */
export function verifies(...ids: readonly RequirementId[]): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error('verifies() is called by a test while it runs');
  test.meta.verifies = [...(test.meta.verifies ?? []), ...ids];
}

const ID = /\b[A-Z]+-\d\d\b/g;

/** The ids in the title of a test, or of a row of a table of tests: `'LOOP-15 no worker'`. */
export function idsIn(title: string): readonly RequirementId[] {
  const found: readonly string[] = title.match(ID) ?? [];
  return found.filter((id): id is RequirementId => id in REQUIREMENTS);
}
