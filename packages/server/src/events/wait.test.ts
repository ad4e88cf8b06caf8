import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { RunRow } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { createLingering } from '../http/lingering.ts';
import { createFeed } from './feed.ts';
import { waitForRun } from './wait.ts';

const RUN = { tenant: 'acme', runId: 'r' };
const LONG_MS = 10_000_000;

/** A wait for the end of a run that never ends, and what it watches. */
function waiting(response: object) {
  const feed = createFeed();
  let watchers = 0;
  const watch: typeof feed.watch = (runId, listener) => {
    const stop = feed.watch(runId, listener);
    watchers += 1;
    return () => {
      watchers -= 1;
      stop();
    };
  };
  const row = { ...RUN, head: 1, status: 'running' } as RunRow;
  const host = {
    feed: { ...feed, watch },
    lingering: createLingering(),
    reads: { run: async () => row },
  };
  let over = false;
  const done = waitForRun(host as never, response as ServerResponse, RUN, LONG_MS, () => false).then(() => {
    over = true;
  });
  return { done, isOver: () => over, watchers: () => watchers, lingering: host.lingering };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('does not wait for a run whose caller had gone before', async () => {
  const { isOver, watchers } = waiting(Object.assign(new EventEmitter(), { destroyed: true }));
  await turn();
  expect([isOver(), watchers()]).toEqual([true, 0]);
});

it('ends when its caller goes, and watches the run no longer', async () => {
  const response = Object.assign(new EventEmitter(), { destroyed: false });
  const { isOver, watchers } = waiting(response);
  await turn();
  expect([isOver(), watchers()]).toEqual([false, 1]);
  response.emit('close');
  await turn();
  expect([isOver(), watchers(), response.listenerCount('close')]).toEqual([true, 0, 0]);
});

it('ends when the host stops', async () => {
  const { done, lingering, watchers } = waiting(Object.assign(new EventEmitter(), { destroyed: false }));
  lingering.close();
  await done;
  expect(watchers()).toBe(0);
});
