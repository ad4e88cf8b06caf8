import type { Notice } from '@baton/engine';
import type { TaskPush, TaskPushWrite } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import type { Failure } from '../../webhooks/after-failure.ts';
import { type PushSenderParts, pushSender } from './push-sender.ts';

const DAY = 86_400_000;

/** A sender over a store in memory, with a clock that the test moves. */
function sending(answers: readonly (Failure | undefined)[]) {
  const left = [...answers];
  const rows = new Map<string, TaskPush>();
  const posted: string[] = [];
  const timers: { at: number; run: () => void }[] = [];
  let now = 0;
  let state: string | undefined = 'asks 1';
  let notice = (_notices: readonly Notice[]): void => undefined;
  const parts: PushSenderParts = {
    reads: {
      taskPushes: async (_tenant, runId) => [...rows.values()].filter((row) => row.runId === runId),
      everyTaskPush: async (after) => (after === undefined ? [...rows.values()] : []),
    },
    feed: {
      onNotices: (listener) => {
        notice = listener;
      },
    },
    write: async (write: TaskPushWrite) => {
      if (write.do === 'delete') rows.delete(write.place.pushId);
      if (write.do !== 'settle') return;
      const {
        told: _told,
        failingSince: _since,
        nextAt: _at,
        ...row
      } = rows.get(write.place.pushId) as TaskPush;
      rows.set(write.place.pushId, { ...row, ...write.progress });
    },
    messageOf: async () =>
      state === undefined
        ? undefined
        : {
            ...{ id: `id of ${state}`, state, isLast: state === 'ended', body: '{}', contentType: 'x' },
            traceparent: '',
            ...(state.startsWith('asks') && { asking: state.split(' in ')[1] ?? 'r' }),
          },
    post: async (_push, { id }) => {
      posted.push(id);
      return left.shift();
    },
    now: () => now,
    random: () => 0.5,
    after: (ms, run) => {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
    log: { warn: () => undefined, error: () => undefined },
  };
  const settled = async () => {
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
  };
  rows.set('p', {
    tenant: 'acme',
    runId: 'r',
    pushId: 'p',
    url: 'https://receiver.example',
    credentials: '',
    version: '1.0',
    createdAt: 0,
    tries: 0,
  });
  return {
    sender: pushSender(parts),
    rows,
    posted,
    timers,
    settled,
    async becomes(next: string | undefined, status: Notice['status'], runId = 'r') {
      state = next;
      notice([{ runId, lastSequence: 1, status }]);
      await settled();
    },
    /** Moves the clock to the next timer. */
    async wait() {
      const next = timers.shift();
      now = next?.at ?? now;
      next?.run();
      await settled();
      return now;
    },
  };
}

const DOWN = { error: 'down' };

it('sends each state once, and forgets the push after the last', async () => {
  const { sender, rows, posted, settled, becomes } = sending([]);
  await sender.start();
  await settled();
  await becomes('asks 1', 'waiting-approval');
  await becomes('asks 2', 'waiting-input');
  await becomes(undefined, 'running');
  expect([posted, rows.get('p')?.told]).toEqual([['id of asks 1', 'id of asks 2'], 'asks 2']);
  await becomes('ended', 'completed');
  expect([posted.at(-1), rows.size]).toEqual(['id of ended', 0]);
});

it('sends the questions of the runs below a task, and the next one when the first is answered', async () => {
  const { sender, posted, settled, becomes } = sending([]);
  await becomes(undefined, 'running');
  await sender.start();
  await settled();
  await becomes('asks 1 in r.1', 'waiting-approval', 'r.1');
  // The other child asks, but the first question is still the one that is shown.
  await becomes('asks 1 in r.1', 'waiting-input', 'r.2');
  expect(posted).toEqual(['id of asks 1 in r.1']);
  await becomes('asks 1 in r.2', 'running', 'r.1');
  await becomes('ended', 'completed', 'r.2');
  expect(posted).toEqual(['id of asks 1 in r.1', 'id of asks 1 in r.2', 'id of ended']);
  await becomes('unseen', 'running', 'other.1');
  expect(posted).toHaveLength(3);
});

it('tries again with the same id, after longer and longer pauses', async () => {
  const { sender, rows, posted, timers, settled, wait } = sending([
    DOWN,
    DOWN,
    { ...DOWN, retryAfterMs: 60_000 },
  ]);
  await sender.start();
  await settled();
  expect(rows.get('p')).toMatchObject({ tries: 1, failingSince: 0, nextAt: 5_000 });
  expect(await wait()).toBe(5_000);
  expect(await wait()).toBe(15_000);
  expect(await wait()).toBe(75_000);
  expect(new Set(posted)).toEqual(new Set(['id of asks 1']));
  expect([posted.length, rows.get('p'), timers]).toMatchObject([4, { tries: 0, told: 'asks 1' }, []]);
});

it('waits as long as it has to when a new state comes meanwhile, and then sends the newest', async () => {
  const { sender, posted, settled, becomes, wait } = sending([DOWN]);
  await sender.start();
  await settled();
  await becomes('ended', 'completed');
  expect(posted).toEqual(['id of asks 1']);
  await wait();
  expect(posted).toEqual(['id of asks 1', 'id of ended']);
});

it('gives up after a day, or when the receiver wants no more', async () => {
  const day = sending(Array.from({ length: 100 }, () => DOWN));
  await day.sender.start();
  await day.settled();
  let now = 0;
  while (day.timers.length > 0) now = await day.wait();
  expect([day.rows.size, now >= DAY, now < DAY + 2 * 3_600_000]).toEqual([0, true, true]);
  const gone = sending([{ error: 'gone', gone: true }]);
  await gone.sender.start();
  await gone.settled();
  expect([gone.rows.size, gone.timers]).toEqual([0, []]);
});

it('sends nothing after it was stopped', async () => {
  const { sender, posted, settled, becomes, timers } = sending([DOWN]);
  await sender.start();
  await settled();
  await sender.stop();
  await becomes('ended', 'completed');
  expect([posted, timers]).toEqual([['id of asks 1'], []]);
});
