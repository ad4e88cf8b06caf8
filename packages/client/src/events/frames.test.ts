import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openTimers } from '../../../../tests/client/open-timers.ts';
import { connect } from '../connect.ts';

let timersOpen: () => number;
beforeEach(() => {
  vi.useFakeTimers();
  timersOpen = openTimers();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const frame = (type: string, sequence: number): string =>
  `event: ${type}\nid: ${sequence}\ndata: ${JSON.stringify({ sequence, type, runId: 'r' })}\n\n`;

/** A host whose streams bring these pieces. A stream whose last piece is `undefined` stays open in silence. */
function streaming(...streams: readonly (readonly (string | undefined)[])[]) {
  const left = [...streams];
  const asked: (string | null)[] = [];
  let cancelled = 0;
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    if (url.includes('/poll')) return Response.json({ events: [], isComplete: left.length === 0 });
    asked.push(new Headers(init.headers).get('last-event-id'));
    const pieces = [...(left.shift() ?? [])];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pieces.length === 0) return controller.close();
        const piece = pieces.shift();
        if (piece === undefined) return new Promise(() => undefined);
        controller.enqueue(new TextEncoder().encode(piece));
      },
      cancel() {
        cancelled += 1;
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  return { run: connect({ url: 'http://host.example', fetch }).run('r'), asked, cancelled: () => cancelled };
}

async function types(events: AsyncIterable<{ readonly type: string }>): Promise<readonly string[]> {
  const all: string[] = [];
  const reading = (async () => {
    for await (const { type } of events) all.push(type);
  })();
  await vi.advanceTimersByTimeAsync(200_000);
  await reading;
  return all;
}

it('opens a stream again that brings nothing for too long', async () => {
  const { run, asked, cancelled } = streaming(
    [frame('run.started', 0), ': keep-alive\n\n', undefined],
    [frame('run.completed', 1)],
  );
  expect(await types(run.events())).toEqual(['run.started', 'run.completed']);
  expect(asked).toEqual([null, '0']);
  expect(cancelled()).toBe(1);
});

it('tells when the connection is lost, and when it is back', async () => {
  const told: string[] = [];
  const { run } = streaming(
    [frame('run.started', 0)],
    [frame('node.started', 1), frame('node.started', 1)],
    [frame('run.completed', 2)],
  );
  const events = run.events({ onConnection: (state) => void told.push(state) });
  expect(await types(events)).toEqual(['run.started', 'node.started', 'run.completed']);
  expect(told).toEqual(['lost', 'open', 'lost', 'open']);
});

it('leaves out what a stream repeats, and asks again for what it skips', async () => {
  const { run, asked } = streaming(
    [frame('run.started', 0), frame('run.started', 0), frame('run.completed', 2)],
    [frame('node.started', 1), frame('run.completed', 2)],
  );
  expect(await types(run.events())).toEqual(['run.started', 'node.started', 'run.completed']);
  expect(asked).toEqual([null, '0']);
});

it('closes the connection when the reader leaves', async () => {
  const { run, cancelled } = streaming([frame('run.started', 0), frame('node.started', 1), undefined]);
  for await (const event of run.events()) if (event.type === 'run.started') break;
  expect(cancelled()).toBe(1);
  expect(timersOpen()).toBe(0);
});

it('refuses a stream with data that is not JSON', async () => {
  const { run } = streaming(['event: run.started\nid: 0\ndata: {"sequence":\n\n']);
  await expect(run.events().next()).rejects.toMatchObject({ code: 'unexpected_answer' });
});

it('CONF-18 XHOST-15 goes on after events of a type, and with fields, that it does not know', async () => {
  const known = frame('run.started', 0);
  const withMore = known.replace('"runId"', '"causationHostId":"host-b","later":{},"runId"');
  const { run } = streaming([withMore, frame('later.kind', 1), frame('run.completed', 2)]);
  expect(await types(run.events())).toEqual(['run.started', 'later.kind', 'run.completed']);
});

it('gives the parts of texts between the events, and asks again for events only', async () => {
  const chunk = { runId: 'r', nodeId: 'n', channel: 'text', chunk: 'Hel', isLast: false };
  const { run, asked } = streaming(
    [frame('run.started', 0), `event: ai.message.chunk\ndata: ${JSON.stringify(chunk)}\n\n`],
    [frame('run.completed', 1)],
  );
  const items: unknown[] = [];
  const reading = (async () => {
    for await (const item of run.live()) items.push(item.kind === 'chunk' ? item.chunk : item.event.type);
  })();
  await vi.advanceTimersByTimeAsync(10_000);
  await reading;
  expect(items).toEqual(['run.started', chunk, 'run.completed']);
  expect(asked).toEqual([null, '0']);
});

it('gives each state once over several connections', async () => {
  const values = (lastSequence: number, status: string): string =>
    `event: values\nid: ${lastSequence}\ndata: ${JSON.stringify({ lastSequence, status })}\n\n`;
  const { run, asked } = streaming(
    [values(1, 'running'), values(3, 'paused')],
    [values(3, 'paused'), values(4, 'running'), undefined],
    [values(6, 'completed')],
  );
  const states: string[] = [];
  const reading = (async () => {
    for await (const { status, lastSequence } of run.values()) states.push(`${lastSequence} ${status}`);
  })();
  await vi.advanceTimersByTimeAsync(200_000);
  await reading;
  expect(states).toEqual(['1 running', '3 paused', '4 running', '6 completed']);
  expect(asked).toHaveLength(3);
});
it('follows a tree over several connections, each event once, until the host says that it has ended', async () => {
  const event = (runId: string, place: number): string =>
    `event: tree.event\nid: ${place}\ndata: ${JSON.stringify({ runId, place, event: { type: `e${place}` } })}\n\n`;
  const { run, asked } = streaming(
    [event('r', 1), event('r.1', 2), event('r.1', 2)],
    [event('r.1', 2), event('r', 3), 'event: tree.ended\ndata: {}\n\n', undefined],
  );
  const items: unknown[] = [];
  const reading = (async () => {
    for await (const item of run.tree())
      items.push(item.kind === 'event' ? `${item.runId} ${item.place}` : item);
  })();
  await vi.advanceTimersByTimeAsync(10_000);
  await reading;
  expect(items).toEqual(['r 1', 'r.1 2', 'r 3']);
  expect(asked).toEqual([null, '2']);
});
