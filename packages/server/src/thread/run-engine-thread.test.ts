import { StorageFullError } from '@baton/engine/ports';
import { describe, expect, it } from 'vitest';
import { storageCheck } from './run-engine-thread.ts';

/** A store that counts the writes of checks. */
function storeOn(disk: { problem?: Error }) {
  const store = {
    probes: 0,
    async checkWritable() {
      store.probes += 1;
      if (disk.problem) throw disk.problem;
    },
  };
  return store;
}

describe('a check of the storage', () => {
  it('writes, and believes the write for five seconds', async () => {
    let now = 0;
    const storage = storageCheck(() => now);
    const store = storeOn({});
    expect(await storage.check(store)).toBe('writable');
    now = 4999;
    expect(await storage.check(store)).toBe('writable');
    expect(store.probes).toBe(1);
    now = 5000;
    expect(await storage.check(store)).toBe('writable');
    expect(store.probes).toBe(2);
  });

  it('writes nothing while commits succeed', async () => {
    const storage = storageCheck(() => 0);
    const store = storeOn({});
    await storage.watch(Promise.resolve([]));
    expect(await storage.check(store)).toBe('writable');
    expect(store.probes).toBe(0);
  });

  it('tells a full disk from one that fails, and a disk that has room again from both', async () => {
    const storage = storageCheck(() => 0);
    const disk: { problem?: Error } = { problem: new StorageFullError() };
    const store = storeOn(disk);
    expect(await storage.check(store)).toBe('full');
    disk.problem = new Error('I/O error');
    expect(await storage.check(store)).toBe('failing');
    delete disk.problem;
    expect(await storage.check(store)).toBe('writable');
  });

  it('does not believe an earlier write after a commit that failed', async () => {
    const storage = storageCheck(() => 0);
    const store = storeOn({ problem: new StorageFullError() });
    await storage.watch(Promise.resolve([]));
    await expect(storage.watch(Promise.reject(new StorageFullError()))).rejects.toThrow();
    expect(await storage.check(store)).toBe('full');
  });
});
