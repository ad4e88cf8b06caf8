import { describe, expect, it } from 'vitest';
import { busyTrees } from './busy-trees.ts';

describe('busy trees', () => {
  it('let one job have a tree, and the others wait in the order they came', () => {
    const busy = busyTrees<string>();
    expect([busy.take('a', 'first'), busy.take('a', 'second'), busy.take('a', 'third')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([busy.handOn('a'), busy.handOn('a'), busy.handOn('a')]).toEqual(['second', 'third', undefined]);
  });

  it('stay busy for the job that they are handed on to', () => {
    const busy = busyTrees<string>();
    busy.take('a', 'first');
    busy.take('a', 'second');
    expect(busy.handOn('a')).toBe('second');
    expect(busy.take('a', 'late')).toBe(false);
    expect([busy.handOn('a'), busy.handOn('a')]).toEqual(['late', undefined]);
    expect(busy.take('a', 'again')).toBe(true);
  });

  it('do not hinder other trees', () => {
    const busy = busyTrees<string>();
    expect([busy.take('a', 'one'), busy.take('b', 'two')]).toEqual([true, true]);
  });

  it('forget waiting jobs that are not to be kept', () => {
    const busy = busyTrees<string>();
    for (const job of ['first', 'drop', 'keep']) busy.take('a', job);
    for (const job of ['first', 'drop']) busy.take('b', job);
    busy.keepOnly((job) => job !== 'drop');
    expect([busy.handOn('a'), busy.handOn('a'), busy.handOn('b')]).toEqual(['keep', undefined, undefined]);
  });
});
