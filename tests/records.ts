import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LATER, PROOF_ONLY, REQUIREMENTS, type RequirementId } from './requirements.ts';

/**
 * What a run of tests leaves behind: `npm test` one record, and `npm run proof` one for each of its parts. The newest
 * records of whole runs say together which requirements are verified.
 */
export interface TestRecord {
  readonly passed: number;
  readonly failed: number;
  readonly verified: readonly Verified[];
  readonly files: readonly TimedFile[];
}

interface Verified {
  readonly id: RequirementId;
  readonly test: string;
  readonly passed: boolean;
}

interface TimedFile {
  readonly file: string;
  readonly ms: number;
  readonly failed: number;
}

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..', '.cache', 'tests');

export function writeRecord(name: string, record: TestRecord): void {
  const file = join(FOLDER, `${name}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(record));
}

/** The name of the newest record of `npm test` that is not of some files or some tests only. */
export const WHOLE = 'whole';

export function testRecord(): readonly TestRecord[] {
  const file = join(FOLDER, `${WHOLE}.json`);
  return existsSync(file) ? [JSON.parse(readFileSync(file, 'utf8'))] : [];
}

/** The newest record of each part of the proof. */
export function proofRecords(): readonly TestRecord[] {
  const folder = join(FOLDER, 'proof');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

export function verifiedIn(records: readonly TestRecord[]): ReadonlySet<RequirementId> {
  const passed = records.flatMap(({ verified }) => verified).filter(({ passed }) => passed);
  return new Set(passed.map(({ id }) => id));
}

/** The requirements that are due, are not left to the proof, and were verified by no passing test of `npm test`. */
export function missedByTest(verified: ReadonlySet<RequirementId>): readonly RequirementId[] {
  return due().filter((id) => PROOF_ONLY[id] === undefined && !verified.has(id));
}

/** The requirements that are due and that no record has. */
export function missed(verified: ReadonlySet<RequirementId>): readonly RequirementId[] {
  return due().filter((id) => !verified.has(id));
}

function due(): readonly RequirementId[] {
  const all = Object.keys(REQUIREMENTS) as RequirementId[];
  return all.filter((id) => LATER[id] === undefined);
}
