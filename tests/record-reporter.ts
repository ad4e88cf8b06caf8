import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { budgetOf } from './budgets.ts';
import { missedByTest, proofRecords, type TestRecord, verifiedIn, WHOLE, writeRecord } from './records.ts';
import { PROOF_ONLY, REQUIREMENTS, type RequirementId } from './requirements.ts';
import { idsIn } from './verifies.ts';

/**
 * Writes the record of a run, under the name in BATON_RECORD. After a whole run of `npm test` it also fails the run if a
 * requirement was verified by no passing test, and names the files that took longer than their budget.
 */
export default class RecordReporter implements Reporter {
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
    if (vitest === undefined) return;
    const record = recordOf(modules);
    const name = process.env.BATON_RECORD;
    if (name !== undefined) writeRecord(name, record);
    if (process.env.BATON_PROOF === '1' || vitest.config.testNamePattern !== undefined) return;
    const all = await vitest.globTestSpecifications();
    if (this.specifications.length < all.length) return;
    writeRecord(WHOLE, record);
    reportWhole(vitest, record, leftOutBy(modules));
  }
}

function reportWhole({ logger }: Vitest, record: TestRecord, leftOut: number): void {
  if (leftOut > 0) {
    logger.warn(
      `OPENWOP_REFERENCE is not set: ${leftOut} fixtures of the protocol were not run, and no event was checked against its schemas.`,
    );
  }
  const slow = record.files.filter(({ file, ms }) => ms > budgetOf(file));
  if (slow.length > 0) {
    const worst = slow.toSorted((a, b) => b.ms / budgetOf(b.file) - a.ms / budgetOf(a.file)).slice(0, SHOWN);
    const lines = worst.map(({ file, ms }) => `  ${inSeconds(ms)}  ${file}`);
    const more = slow.length > SHOWN ? `, the first ${SHOWN} of ${slow.length}` : '';
    logger.warn(`Files over their budget (tests/budgets.ts)${more}:\n${lines.join('\n')}`);
  }
  const inProof = verifiedIn(proofRecords());
  const left = (Object.keys(PROOF_ONLY) as RequirementId[]).map(
    (id) => `${id} (${inProof.has(id) ? 'verified by the newest proof here' : 'not verified here yet'})`,
  );
  if (left.length > 0) logger.log(`Requirements that only the proof verifies: ${left.join(', ')}.`);
  const missing = missedByTest(verifiedIn([record]));
  if (missing.length > 0) {
    process.exitCode = 1;
    const lines = missing.map((id) => `  ${id} ${REQUIREMENTS[id]}`);
    logger.error(`Requirements that no passing test has verified:\n${lines.join('\n')}`);
  }
}

/** On a slow machine many files are over their budget. */
const SHOWN = 10;

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(6)} s`;

function recordOf(modules: readonly TestModule[]): TestRecord {
  const verified = [];
  const files = [];
  let passed = 0;
  let failed = 0;
  for (const testModule of modules) {
    const file = testModule.relativeModuleId;
    let failedHere = testModule.errors().length;
    for (const test of testModule.children.allTests()) {
      const ok = test.result().state === 'passed';
      if (ok) passed += 1;
      else failedHere += 1;
      for (const id of [...idsIn(test.name), ...(test.meta().verifies ?? [])])
        verified.push({ id, test: `${file} > ${test.fullName}`, passed: ok });
    }
    failed += failedHere;
    const { duration, collectDuration } = testModule.diagnostic();
    files.push({ file, ms: Math.round(duration + collectDuration), failed: failedHere });
  }
  return { passed, failed, verified, files };
}

/** How many checks the tests left out because the protocol's reference was not at hand. */
function leftOutBy(modules: readonly TestModule[]): number {
  let sum = 0;
  for (const testModule of modules) {
    for (const test of testModule.children.allTests()) sum += test.meta().leftOut ?? 0;
  }
  return sum;
}
