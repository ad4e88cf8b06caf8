import { expect, it } from 'vitest';
import type { TaskPush } from '../../../engine/src/ports/reads/task-pushes.ts';
import { birth, record, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

const MOST = 2;

export function taskPushContract(factory: StoreFactory): void {
  it('lists the pushes of a task by their ids, and those of all tenants in pages', async () => {
    const { store, reads, reopen } = await fresh(factory);
    const other = push('r1', 'p', { tenant: 'other' });
    for (const one of [push('r1', 'q'), push('r1', 'p'), push('r2', 'p'), other]) {
      expect(await store.putTaskPush(one, MOST)).toBe(true);
    }
    expect(await reads.taskPushes('acme', 'r1')).toEqual([push('r1', 'p'), push('r1', 'q')]);
    const first = await reads.everyTaskPush(undefined, 3);
    expect(first).toEqual([push('r1', 'p'), push('r1', 'q'), push('r2', 'p')]);
    expect(await reads.everyTaskPush(first.at(-1), 3)).toEqual([other]);
    expect(await (await reopen()).reads.everyTaskPush(undefined, 9)).toHaveLength(4);
  });

  it('replaces a push of the same id as a whole, and stores no more others than it is told', async () => {
    const { store, reads } = await fresh(factory);
    for (const id of ['a', 'b']) await store.putTaskPush(push('r', id), MOST);
    await store.settleTaskPush(push('r', 'a'), { told: 'ended', tries: 2, failingSince: T0, nextAt: T0 + 9 });
    expect(await store.putTaskPush(push('r', 'd'), MOST)).toBe(false);
    const next = push('r', 'a', { url: 'https://next.example', version: '0.3' });
    expect(await store.putTaskPush(next, MOST)).toBe(true);
    expect(await reads.taskPushes('acme', 'r')).toEqual([next, push('r', 'b')]);
  });

  it('stores how far a push has come, and removes it', async () => {
    const { store, reads } = await fresh(factory);
    await store.putTaskPush(push('r', 'a'), MOST);
    const failing = { tries: 1, failingSince: T0, nextAt: T0 + 5 };
    expect(await store.settleTaskPush(push('r', 'a'), failing)).toBe(true);
    expect(await reads.taskPushes('acme', 'r')).toEqual([push('r', 'a', failing)]);
    await store.settleTaskPush(push('r', 'a'), { told: 'asks 1', tries: 0 });
    expect(await reads.taskPushes('acme', 'r')).toEqual([push('r', 'a', { told: 'asks 1' })]);
    expect(await store.deleteTaskPush(push('r', 'a', { tenant: 'other' }))).toBe(false);
    expect(await store.deleteTaskPush(push('r', 'a'))).toBe(true);
    expect(await store.settleTaskPush(push('r', 'a'), { tries: 0 })).toBe(false);
    expect(await reads.taskPushes('acme', 'r')).toEqual([]);
  });

  it('encrypts credentials again, unless they have changed since', async () => {
    const { store, reads } = await fresh(factory);
    await store.putTaskPush(push('r', 'a'), MOST);
    const again = { tenant: 'acme', runId: 'r', pushId: 'a', from: 'jwe', to: 'again' };
    expect(await store.rewrapTaskPushes([{ ...again, from: 'older' }])).toBe(0);
    expect(await store.rewrapTaskPushes([again])).toBe(1);
    expect(await reads.taskPushes('acme', 'r')).toEqual([push('r', 'a', { credentials: 'again' })]);
  });

  it('removes the pushes of a run that is purged, and only these', async () => {
    const { store, reads } = await fresh(factory);
    const ended = { status: 'completed', at: T0 + 1 } as const;
    await store.commit([birth(record('a'), 1, ended), birth(record('b'), 1, { ...ended, at: T0 + 90 })]);
    for (const runId of ['a', 'b']) await store.putTaskPush(push(runId, 'p'), MOST);
    await store.purgeTrees(T0 + 50, 10);
    expect(await reads.everyTaskPush(undefined, 9)).toEqual([push('b', 'p')]);
  });
}

function push(runId: string, pushId: string, more: Partial<TaskPush> = {}): TaskPush {
  return {
    tenant: 'acme',
    runId,
    pushId,
    url: 'https://receiver.example/push',
    credentials: 'jwe',
    version: '1.0',
    createdAt: T0,
    tries: 0,
    ...more,
  };
}
