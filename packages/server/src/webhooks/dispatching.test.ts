import { expect, it } from 'vitest';
import { dispatching } from './dispatching.ts';
import type { FollowedWebhook } from './followed-webhooks.ts';

/** Timers ring a moment early now and then, and reading takes time. */
it('delivers what becomes due while it looks', async () => {
  let time = 999;
  const timers: (() => void)[] = [];
  const delivered: string[] = [];
  const webhook = {
    record: { webhookId: 'w', tenant: 't' },
    ...{ busy: new Set<string>(), failures: 0, restsUntil: 0 },
  } as unknown as FollowedWebhook;
  const waiting = { runId: 'r', number: 1, next: 0, last: 0 };
  const dispatched = dispatching({
    webhooks: { isActive: () => true },
    reads: {
      dueDeliveries: async (_: string, at: number) => {
        const due = at >= 1000 && delivered.length === 0 ? [waiting] : [];
        time = 1000;
        return due;
      },
      nextDelivery: async () => (delivered.length === 0 ? 1000 : undefined),
    },
    deliver: async (_: unknown, { runId }: { runId: string }) => {
      delivered.push(runId);
      return {};
    },
    settle: async () => undefined,
    now: () => time,
    random: () => 0.5,
    after: (_: number, run: () => void) => {
      timers.push(run);
      return () => undefined;
    },
    isStopping: () => false,
    onProblem: (problem: unknown) => {
      throw problem;
    },
  } as never);
  dispatched.look(webhook);
  await dispatched.idle();
  expect(delivered).toEqual([]);
  expect(timers).toHaveLength(1);
  timers[0]?.();
  await dispatched.idle();
  expect(delivered).toEqual(['r']);
});
