import { expect, it } from 'vitest';
import type { StoredKeys } from '../storage/open-storage.ts';
import { keptWrappingKeys, withNewKey } from './wrapping-keys.ts';

function storageWith(text?: string): {
  readonly storage: StoredKeys;
  readonly text: () => string | undefined;
} {
  let stored = text;
  const where = '/data/secrets.key';
  const storage: StoredKeys = {
    readKey: async () => (stored === undefined ? undefined : { text: stored, where }),
    async keepKey(_name, make) {
      stored ??= make();
      return { text: stored, where };
    },
    async replaceKey(_name, given) {
      stored = given;
    },
    alone: (work) => work(),
  };
  return { storage, text: () => stored };
}

it('makes the first key when it is needed, and keeps every key that is added', async () => {
  const { storage, text } = storageWith();
  const kept = keptWrappingKeys(storage);
  expect(await kept.read()).toBeUndefined();
  expect(text()).toBeUndefined();
  const first = await kept.readOrMake();
  expect(first.keys.get(first.newest)).toHaveLength(32);
  expect(await kept.readOrMake()).toEqual(first);
  const both = withNewKey(first);
  await kept.write(both);
  expect(await kept.read()).toEqual(both);
  expect([...both.keys.keys()]).toEqual([first.newest, both.newest]);
});

it.each([
  '',
  'garbage c2VjcmV0',
  '[]',
  '{"newest": "a", "keys": {}}',
  '{"newest": "a", "keys": {"a": "c2hvcnQ"}}',
  '{"keys": {}}',
])('refuses damaged keys and does not repeat them: %s', async (text) => {
  const reading = keptWrappingKeys(storageWith(text).storage).read();
  await expect(reading).rejects.toThrow(
    /^\/data\/secrets\.key does not hold the keys of stored secrets; restore it$/,
  );
});
