import { EventEmitter } from 'node:events';
import type { Notice } from '@baton/engine';
import type { RunRow } from '@baton/engine/ports';
import type { FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import { createLingering } from '../http/lingering.ts';
import { createFeed } from './feed.ts';
import { followRun } from './follow.ts';
import { logFrames } from './sources.ts';

const soon = () => new Promise((resolve) => setImmediate(resolve));
const RUN = { tenant: 'acme', runId: 'r' };

/** A host whose store answers when the test says so, with the data of the moment in which it was asked. */
function slowHost() {
  const log: string[] = [];
  let status = 'running';
  const waiting: (() => void)[] = [];
  const answered = <T>(value: T): Promise<T> =>
    new Promise((resolve) => {
      waiting.push(() => resolve(value));
    });
  const reads = {
    run: () => answered({ runId: 'r', status } as RunRow),
    events: (_tenant: string, _runId: string, from: number, limit: number) =>
      answered(log.slice(from, from + limit)),
  };
  const feed = createFeed();
  let watchers = 0;
  let tails = 0;
  const host = {
    reads,
    feed: {
      ...feed,
      watch(runId: string, listener: (notice: Notice) => void) {
        watchers += 1;
        const stop = feed.watch(runId, listener);
        return () => {
          watchers -= 1;
          stop();
        };
      },
    },
    tails: {
      follow() {
        tails += 1;
        return () => {
          tails -= 1;
        };
      },
    },
    turns: { take: (_tenant: string, work: () => void) => work() },
    lingering: createLingering(),
    metrics: { streams: { inc: () => undefined, dec: () => undefined } },
    log: { error: () => undefined },
  };
  return {
    host: host as unknown as Parameters<typeof followRun>[0] & { reads: typeof reads },
    watchers: () => watchers,
    tails: () => tails,
    /** Stores an event, and sends the notice at once. */
    store(type: string) {
      log.push(JSON.stringify({ type }));
      if (type === 'run.completed') status = 'completed';
      feed.publish([{ runId: 'r', lastSequence: log.length - 1, status } as Notice]);
    },
    /** Lets the store answer the reads that are waiting, and those that follow. */
    async answer(times = 1) {
      for (let time = 0; time < times; time += 1) {
        for (const give of waiting.splice(0)) give();
        await soon();
      }
    },
    reading: () => waiting.length,
  };
}

function fakeReply() {
  const sent: string[] = [];
  const raw = Object.assign(new EventEmitter(), {
    destroyed: false,
    writableNeedDrain: false,
    writableEnded: false,
    setHeader: () => undefined,
    flushHeaders: () => undefined,
    write: (text: string) => sent.push(text) > 0,
    end: (text = '') => {
      if (text !== '') sent.push(text);
      raw.writableEnded = true;
      raw.emit('close');
    },
    destroy: () => raw.emit('close'),
  });
  const request = { identity: null };
  const reply = { hijack: () => undefined, getHeader: () => undefined, request, raw };
  const ids = () => [...sent.join('').matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  return { reply: reply as unknown as FastifyReply, raw, ids };
}

function follow({ host }: ReturnType<typeof slowHost>, reply: FastifyReply): Promise<void> {
  const next = logFrames(host, RUN, { from: 0, batched: false });
  return followRun(host, reply, RUN, { next, bufferMs: 0 });
}

/** A reader of a run with so many events. */
function reading(events = 1) {
  const slow = slowHost();
  const reader = fakeReply();
  for (let n = 0; n < events; n += 1) slow.store('node.started');
  return { slow, ...reader, following: follow(slow, reader.reply) };
}

/** At each step another read is under way. */
it.each([0, 1, 2, 3, 4, 5])('sends every event once, when a run ends during read %i', async (step) => {
  const { slow, raw, ids, following } = reading();
  for (let at = 0; at < 12 && !raw.writableEnded; at += 1) {
    if (at === step) {
      slow.store('node.started');
      slow.store('run.completed');
    }
    await slow.answer();
  }
  await following;
  expect(ids()).toEqual([0, 1, 2]);
  expect(raw.writableEnded).toBe(true);
  expect(slow.watchers()).toBe(0);
});

it('reads one page at a time, and again when a notice came meanwhile', async () => {
  const { slow, raw, ids, following } = reading();
  await slow.answer(2);
  await following;
  expect(slow.reading()).toBe(1);
  for (let n = 0; n < 3; n += 1) {
    slow.store('node.started');
    await soon();
    expect(slow.reading()).toBe(1);
  }
  await slow.answer(3);
  expect(ids()).toEqual([0, 1, 2, 3]);
  expect(slow.reading()).toBe(0);
  raw.emit('close');
});

it('does not look for more than a notice has told', async () => {
  const { slow, raw, ids, following } = reading();
  await slow.answer(3);
  await following;
  expect(slow.reading()).toBe(0);
  slow.store('node.started');
  await soon();
  await slow.answer();
  expect(ids()).toEqual([0, 1]);
  expect(slow.reading()).toBe(0);
  raw.emit('close');
});

it('ends with the run, also if an event follows the one that ended it', async () => {
  const { slow, raw, ids, following } = reading();
  await slow.answer(3);
  await following;
  slow.store('run.completed');
  slow.store('memory.carried');
  await soon();
  await slow.answer(3);
  expect(ids()).toEqual([0, 1, 2]);
  expect(raw.writableEnded).toBe(true);
});

it('follows the tail of a long log, and not that of a short one, until the reader has gone', async () => {
  const { slow, raw, ids, following } = reading(64);
  await slow.answer(6);
  await following;
  expect([ids().length, slow.tails()]).toEqual([64, 0]);
  for (let n = 0; n < 3; n += 1) {
    slow.store('node.started');
    await soon();
    await slow.answer();
  }
  expect([ids().length, slow.tails()]).toEqual([67, 1]);
  raw.emit('close');
  expect(slow.tails()).toBe(0);
});

it('follows no tail for a reader that has gone during the read that made the log long', async () => {
  const { slow, raw, following } = reading(64);
  await slow.answer(6);
  await following;
  slow.store('node.started');
  await soon();
  expect(slow.reading()).toBe(1);
  raw.emit('close');
  await slow.answer();
  expect(slow.tails()).toBe(0);
});

it('watches nothing for a reader that has gone before the stream began', async () => {
  const { slow, raw, following } = reading();
  await slow.answer();
  expect(slow.watchers()).toBe(1);
  raw.destroyed = true;
  await slow.answer();
  await following;
  expect(slow.watchers()).toBe(0);
});

it('watches nothing for a run that does not exist', async () => {
  const slow = slowHost();
  slow.host.reads.run = async () => undefined as never;
  const following = follow(slow, fakeReply().reply);
  const refused = expect(following).rejects.toMatchObject({ code: 'not_found' });
  await slow.answer();
  await refused;
  expect(slow.watchers()).toBe(0);
});
