import { expect, it } from 'vitest';
import { type FeedItem, followFeed } from './feed.ts';
import type { RunRow } from './run-row.ts';

function run(runId: string, turn: number): FeedItem {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    kind: 'run',
    run: { runId, workflowId: 'w', status: 'running', createdAt: at, updatedAt: at, turn },
  };
}

/** A feed whose connections are scripts, on a clock that the test moves. */
function stage(connections: readonly ((signal: AbortSignal) => AsyncIterable<FeedItem>)[]) {
  const stop = new AbortController();
  const told: string[] = [];
  const waits: (() => void)[] = [];
  let wake = () => {};
  let opened = 0;
  const ended = followFeed(
    {
      watch: (signal) => {
        told.push(`open ${opened}`);
        const connection = connections[opened];
        opened += 1;
        if (connection === undefined) stop.abort();
        return connection?.(signal) ?? silence(signal);
      },
      changed: (runs) =>
        told.push([...runs.values()].map((one: RunRow) => `${one.runId}@${one.turn}`).join(' ')),
      missed: () => told.push('missed'),
      failed: (error) => told.push(String(error)),
      connected: (is) => told.push(is ? 'connected' : 'lost'),
      onWake: (callback) => {
        wake = callback;
        return () => {
          wake = () => {};
        };
      },
      wait: (_, signal) =>
        new Promise((resolve, reject) => {
          waits.push(resolve);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    },
    stop.signal,
  );
  /** Resolves behind everything that is due now. */
  const settle = () =>
    new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    });
  return {
    told,
    ended,
    settle,
    wakeUp: () => wake(),
    async elapse() {
      await settle();
      for (const over of waits.splice(0)) over();
      await settle();
    },
  };
}

async function* silence(signal: AbortSignal): AsyncGenerator<FeedItem> {
  await new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

it('tells only the newest state of each run', async () => {
  const { told, elapse } = stage([
    async function* (signal) {
      yield run('a', 1);
      yield run('b', 1);
      yield run('a', 2);
      yield* silence(signal);
    },
  ]);
  await elapse();
  expect(told.filter((line) => line.includes('@'))).toEqual(['a@2 b@1']);
});

it('opens the feed again after it broke, and after a while only', async () => {
  const { told, elapse, settle, ended } = stage([
    // biome-ignore lint/correctness/useYield: this connection breaks before its first item.
    async function* () {
      throw new Error('gone');
    },
    async function* () {
      yield { kind: 'reset' };
    },
  ]);
  await settle();
  expect(told).toEqual(['open 0', 'Error: gone', 'lost']);
  await elapse();
  expect(told.slice(3)).toEqual(['open 1', 'connected', 'missed', 'lost']);
  await elapse();
  await ended;
});

it('opens the feed again at once after the device was asleep', async () => {
  const { told, settle, wakeUp, ended } = stage([silence]);
  await settle();
  wakeUp();
  await ended;
  expect(told).toEqual(['open 0', 'open 1']);
});
