import { describe, expect, it } from 'vitest';
import type { StoredCheckpoint } from '../ports/audit.ts';
import { signCheckpoint } from './checkpoint.ts';
import { newSigningKey, publicKey, type SigningKey, signingKey } from './signing-key.ts';
import { verifyCheckpoints } from './verify-checkpoints.ts';

const KEY = signingKey(newSigningKey(), 'a test');
const OTHER = signingKey(newSigningKey(), 'a test');

function checkpoints(keys: readonly SigningKey[]): StoredCheckpoint[] {
  const made: StoredCheckpoint[] = [];
  keys.forEach((key, index) => {
    const leaves = ['a', 'b'].map((runId) => ({ runId, head: index + 1, link: `link ${index}` }));
    const newest = made.at(-1);
    const before = { number: index, ...(newest && { newest }) };
    made.push({ ...signCheckpoint(before, index, leaves, key), leaves });
  });
  return made;
}

const GOOD = checkpoints([KEY, KEY, KEY, KEY]);

function found(given: readonly StoredCheckpoint[], key = KEY, written = given.at(-1)?.number ?? 0) {
  const verifier = verifyCheckpoints(publicKey(key.pem, 'a test'));
  for (const checkpoint of given) verifier.add(checkpoint);
  return verifier.finish(written).map(({ what, checkpoint }) => [what, checkpoint]);
}

const withSecond = (change: (second: StoredCheckpoint) => StoredCheckpoint) =>
  GOOD.map((checkpoint) => (checkpoint.number === 2 ? change(checkpoint) : checkpoint));

describe('signed checkpoints', () => {
  it('agree with themselves', () => expect(found(GOOD)).toEqual([]));

  it.each<[string, readonly StoredCheckpoint[], readonly unknown[]]>([
    ['one was removed', GOOD.filter(({ number }) => number !== 2), [['checkpoint-missing', 2]]],
    ['the first was removed', GOOD.slice(1), [['checkpoint-missing', 1]]],
    [
      'a leaf was changed',
      withSecond((it) => ({ ...it, leaves: [{ runId: 'a', head: 2, link: 'forged' }, it.leaves[1]] })),
      [['checkpoint-changed', 2]],
    ],
    [
      'a leaf was removed',
      withSecond((it) => ({ ...it, leaves: it.leaves.slice(1) })),
      [['checkpoint-changed', 2]],
    ],
    [
      'a leaf lost its run',
      withSecond((it) => ({ ...it, leaves: [undefined, it.leaves[1]] })),
      [['checkpoint-changed', 2]],
    ],
    ['its time was changed', withSecond((it) => ({ ...it, at: 7 })), [['checkpoint-changed', 2]]],
    [
      'its digest was changed',
      withSecond((it) => ({ ...it, digest: '0' })),
      [
        ['signature-invalid', 2],
        ['checkpoint-changed', 2],
      ],
    ],
    [
      'its signature was changed',
      withSecond((it) => ({ ...it, signature: GOOD[2]!.signature })),
      [['signature-invalid', 2]],
    ],
  ])('do not when %s', (_what, given, expected) => expect(found(given)).toEqual(expected));

  it('do not when all of them were made anew with another key', () => {
    expect(found(checkpoints([OTHER, OTHER]))).toEqual([['key-unknown', 2]]);
    const claimed = checkpoints([OTHER, OTHER]).map((it) => ({ ...it, keyId: KEY.keyId }));
    expect(found(claimed).filter(([what]) => what === 'signature-invalid')).toHaveLength(2);
  });

  it.each([
    [3, [['checkpoint-missing', 4]]],
    [0, [1, 2, 3, 4].map((number) => ['checkpoint-missing', number])],
  ])('do not when only the first %i of those that were written are there', (left, expected) => {
    expect(found(GOOD.slice(0, left), KEY, GOOD.length)).toEqual(expected);
  });

  it('are believed when a later one vouches for an older key', () => {
    expect(found(checkpoints([OTHER, OTHER, KEY]))).toEqual([]);
  });
});
