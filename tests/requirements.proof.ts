import { expect, it } from 'vitest';
import { missed, proofRecords, testRecord, verifiedIn } from './records.ts';

it('every requirement is verified by the newest records of npm test and of the parts of the proof', () => {
  expect(missed(verifiedIn([...testRecord(), ...proofRecords()]))).toEqual([]);
});
