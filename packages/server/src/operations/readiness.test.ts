import { describe, expect, it } from 'vitest';
import type { StorageState } from '../thread/messages.ts';
import { readinessOf } from './readiness.ts';

const never = () => () => undefined;

describe('a host', () => {
  it.each<[StorageState, string]>([
    ['writable', 'ready'],
    ['full', 'storage-full'],
    ['failing', 'storage-failing'],
  ])('whose engine says that its storage is %s is %s', async (storage, expected) => {
    const readiness = readinessOf({ isStopping: () => false, check: async () => storage, after: never });
    expect(await readiness()).toBe(expected);
  });

  it('whose engine has not answered in time is not ready', async () => {
    const readiness = readinessOf({
      isStopping: () => false,
      check: () => new Promise(() => undefined),
      after: (_ms, callback) => {
        queueMicrotask(callback);
        return () => undefined;
      },
    });
    expect(await readiness()).toBe('engine-not-answering');
  });

  it('that is stopping does not ask its engine', async () => {
    const check = () => Promise.reject(new Error('asked'));
    expect(await readinessOf({ isStopping: () => true, check, after: never })()).toBe('stopping');
  });

  it('sets no timer off once it has its answer', async () => {
    let open = 0;
    const after = () => {
      open += 1;
      return () => {
        open -= 1;
      };
    };
    await readinessOf({ isStopping: () => false, check: async () => 'writable', after })();
    await new Promise((resolve) => setImmediate(resolve));
    expect(open).toBe(0);
  });
});
