import { describe, expect, it } from 'vitest';
import { type FairQueue, fairQueue } from './fair-queue.ts';

function takeAll(queue: FairQueue<string>): readonly string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

describe('the queue of the engine', () => {
  it('gives every tenant a turn, however much the others have queued', () => {
    const queue = fairQueue<string>();
    for (let n = 1; n <= 3; n += 1) queue.add(`busy ${n}`, 'busy', 'command');
    queue.add('quiet 1', 'quiet', 'command');
    expect(takeAll(queue)).toEqual(['busy 1', 'quiet 1', 'busy 2', 'busy 3']);
  });

  it('serves the tenant that has used the least time, so that cheap jobs do not wait for as many expensive ones', () => {
    const queue = fairQueue<string>();
    const cost: Record<string, number> = { dear: 40, cheap: 1 };
    for (let n = 1; n <= 3; n += 1) queue.add('dear', 'a', 'command');
    for (let n = 1; n <= 50; n += 1) queue.add('cheap', 'b', 'command');
    const taken: string[] = [];
    for (let item = queue.take(); item !== undefined; item = queue.take()) {
      taken.push(item);
      queue.charge(item === 'dear' ? 'a' : 'b', cost[item] ?? 0);
    }
    expect(taken.slice(0, 2)).toEqual(['dear', 'cheap']);
    expect(taken.slice(1, 41).every((item) => item === 'cheap')).toBe(true);
    expect(taken.indexOf('dear', 1)).toBe(41);
    expect(taken).toHaveLength(53);
  });

  it('knows how long the last job of a tenant took', () => {
    const queue = fairQueue<string>();
    queue.charge('a', 40);
    expect([queue.lastTook('a'), queue.lastTook('b')]).toEqual([40, 0]);
    queue.charge('a', 0.2);
    expect(queue.lastTook('a')).toBe(0);
  });

  it('lets nobody save up time while away', () => {
    const queue = fairQueue<string>();
    for (let n = 1; n <= 100; n += 1) {
      queue.add('a', 'a', 'command');
      queue.take();
      queue.charge('a', 10);
    }
    for (let n = 1; n <= 4; n += 1) {
      queue.add('a', 'a', 'command');
      queue.add('late', 'late', 'command');
    }
    const taken: string[] = [];
    for (let item = queue.take(); item !== undefined; item = queue.take()) {
      taken.push(item);
      queue.charge(item, 10);
    }
    expect(taken.indexOf('a')).toBeLessThanOrEqual(1);
    expect(taken.lastIndexOf('late')).toBeGreaterThanOrEqual(5);
  });

  it('lets commands and trees of a tenant take turns', () => {
    const queue = fairQueue<string>();
    for (let n = 1; n <= 3; n += 1) queue.add(`tree ${n}`, 't', 'tree');
    for (let n = 1; n <= 2; n += 1) queue.add(`command ${n}`, 't', 'command');
    expect(takeAll(queue)).toEqual(['command 1', 'tree 1', 'command 2', 'tree 2', 'tree 3']);
  });

  it('takes urgent commands first, but not before the turn of another tenant', () => {
    const queue = fairQueue<string>();
    queue.add('quiet', 'quiet', 'command');
    queue.add('command', 'busy', 'command');
    queue.add('cancel', 'busy', 'urgent');
    expect(takeAll(queue)).toEqual(['quiet', 'cancel', 'command']);
  });

  it('shows the item that it hands out next', () => {
    const queue = fairQueue<string>();
    queue.add('tree', 'a', 'tree');
    queue.add('command', 'a', 'command');
    queue.add('other', 'b', 'tree');
    while (queue.size > 0) expect(queue.next()).toBe(queue.take());
    expect(queue.next()).toBeUndefined();
  });

  it('keeps order and count over many items and an urgent one among them', () => {
    const queue = fairQueue<string>();
    for (let n = 0; n < 500; n += 1) queue.add(String(n), 'a', 'command');
    for (let n = 0; n < 200; n += 1) expect(queue.take()).toBe(String(n));
    queue.add('urgent', 'a', 'urgent');
    expect(queue.size).toBe(301);
    expect(takeAll(queue)).toEqual(['urgent', ...Array.from({ length: 300 }, (_, n) => String(n + 200))]);
    expect(queue.size).toBe(0);
  });

  it('drops items that are not to be kept', () => {
    const queue = fairQueue<string>();
    queue.add('keep', 'a', 'command');
    queue.add('drop', 'a', 'tree');
    queue.add('drop', 'b', 'tree');
    queue.keepOnly((item) => item === 'keep');
    expect(queue.size).toBe(1);
    expect(takeAll(queue)).toEqual(['keep']);
  });
});
