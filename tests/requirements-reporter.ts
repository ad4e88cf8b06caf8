import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { LATER, REQUIREMENTS, type RequirementId } from './requirements.ts';

/** The requirements that are due and that none of these tests has verified. */
export function unverified(verified: ReadonlySet<RequirementId>): readonly RequirementId[] {
  const all = Object.keys(REQUIREMENTS) as RequirementId[];
  return all.filter((id) => LATER[id] === undefined && !verified.has(id));
}

/** What the tests that ran and passed have verified. */
function verifiedBy(modules: readonly TestModule[]): ReadonlySet<RequirementId> {
  const verified = new Set<RequirementId>();
  for (const testModule of modules) {
    for (const test of testModule.children.allTests('passed')) {
      for (const id of test.meta().verifies ?? []) verified.add(id);
    }
  }
  return verified;
}

/** How many checks the tests left out because the protocol's reference was not at hand. */
function leftOutBy(modules: readonly TestModule[]): number {
  let sum = 0;
  for (const testModule of modules) {
    for (const test of testModule.children.allTests()) sum += test.meta().leftOut ?? 0;
  }
  return sum;
}

/**
 * Fails a whole run in which a requirement that is due was verified by no passing test, and says how many checks
 * against the protocol's reference could not be made. A run of some files or of some tests says nothing.
 */
export default class RequirementsReporter implements Reporter {
  private vitest: Vitest | undefined;
  private specifications: readonly TestSpecification[] = [];

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.specifications = specifications;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const { vitest } = this;
    if (vitest === undefined || vitest.config.testNamePattern !== undefined) return;
    const all = await vitest.globTestSpecifications();
    if (this.specifications.length < all.length) return;
    const leftOut = leftOutBy(modules);
    if (leftOut > 0) {
      vitest.logger.warn(
        `OPENWOP_REFERENCE is not set: ${leftOut} fixtures of the protocol were not run, and no event was checked against its schemas.`,
      );
    }
    const missing = unverified(verifiedBy(modules));
    if (missing.length > 0) {
      process.exitCode = 1;
      const lines = missing.map((id) => `  ${id} ${REQUIREMENTS[id]}`);
      vitest.logger.error(`Requirements that no passing test has verified:\n${lines.join('\n')}`);
    }
  }
}
