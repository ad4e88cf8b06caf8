import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { missed, missedByTest, type TestRecord, verifiedIn } from './records.ts';
import { LATER, PROOF_ONLY, REQUIREMENTS, type RequirementId } from './requirements.ts';
import { idsIn, verifies } from './verifies.ts';

const ALL = Object.keys(REQUIREMENTS) as RequirementId[];
const DUE = ALL.filter((id) => LATER[id] === undefined);

describe('requirements', () => {
  it('are missed when no passing test has verified them, but for those of later work', () => {
    expect(missed(new Set())).toEqual(DUE);
    expect(missed(new Set(DUE))).toEqual([]);
    expect(missed(new Set(DUE.filter((id) => id !== 'HAND-13')))).toEqual(['HAND-13']);
  });

  it('are missed by the quick run unless the proof has them', () => {
    expect(missedByTest(new Set())).toEqual(DUE.filter((id) => PROOF_ONLY[id] === undefined));
    expect(missed(new Set(missedByTest(new Set())))).toEqual(Object.keys(PROOF_ONLY));
  });

  it('are verified by any record in which a test that names them passed', () => {
    const record = (id: RequirementId, passed: boolean): TestRecord => ({
      passed: 0,
      failed: 0,
      files: [],
      verified: [{ id, test: 'a test', passed }],
    });
    const records = [record('HAND-13', true), record('HAND-13', false), record('HAND-14', false)];
    expect([...verifiedIn(records)]).toEqual(['HAND-13']);
  });

  it('are verified by the test that says so while it runs, or in its title', ({ task }) => {
    verifies('LOOP-01', 'LOOP-02');
    expect(task.meta.verifies).toEqual(['LOOP-01', 'LOOP-02']);
    delete task.meta.verifies;
    expect(idsIn('HAND-13 LOOP-02 a title of UTF-16 and HAND-99')).toEqual(['HAND-13', 'LOOP-02']);
  });

  it('are those of the manifest, id by id and word by word, when it is at hand', () => {
    const file = process.env.REQUIREMENTS_MANIFEST;
    const manifest =
      file !== undefined && existsSync(file) ? manifestIn(readFileSync(file, 'utf8')) : REQUIREMENTS;
    expect(REQUIREMENTS).toEqual(manifest);
  });
});

/** The rows of its tables. The second column has the text, but for readings, which stand behind their conflict. */
function manifestIn(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const [, id, ...cells] = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
    if (id === undefined || !/^[A-Z]+-\d\d$/.test(id)) continue;
    found[id] = (id.startsWith('READ') ? cells[1] : cells[0]) ?? '';
  }
  return found;
}
