import { expect, it } from 'vitest';
import { readNewestCheckpoint } from './newest-checkpoint.ts';

/** An audit log with this many entries, as the host answers for it. */
function log(length: number) {
  const asked: number[] = [];
  const read = async (fromSeq: number, toSeq: number) => {
    asked.push(fromSeq);
    const checkpoints = Array.from(
      { length: Math.max(0, Math.min(toSeq, length) - fromSeq + 1) },
      (_, index) => ({
        checkpoint: String(fromSeq + index),
        atSequence: fromSeq + index,
        merkleRoot: 'ab',
        signature: 'cd',
      }),
    );
    return { fromSeq, toSeq, chainValid: true, checkpointsValid: true, checkpoints, anomalies: [] };
  };
  return { asked, read };
}

it.each([1, 2, 3, 4, 7, 8, 1000, 1024])(
  'finds the newest of %i checkpoints with few questions',
  async (length) => {
    const { asked, read } = log(length);
    expect((await readNewestCheckpoint(read))?.checkpoint.atSequence).toBe(length);
    expect(asked.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(length)) + 3);
  },
);

it('finds none in an empty log', async () => {
  expect(await readNewestCheckpoint(log(0).read)).toBeNull();
});
