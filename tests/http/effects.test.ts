import { afterAll, expect, it } from 'vitest';
import { sharedHost } from './host.ts';
import { openEvents } from './server-sent.ts';

/** Effects over both threads of a host: their texts reach readers, and a cancel reaches the call. */

const acting = (id: string, inputs: Record<string, unknown>) => ({
  id,
  nodes: [
    {
      id: 'act',
      typeId: 'core.conformance.side-effect',
      inputs: Object.fromEntries(
        Object.entries(inputs).map(([name, value]) => [name, { type: 'static', value }]),
      ),
    },
  ],
});
const host = await sharedHost({
  testSeams: true,
  workflows: [
    acting('telling', { chunks: ['Once ', 'upon ', 'a time'], delayMs: 3_600_000 }),
    acting('long', {
      chunks: Array.from({ length: 60 }, (_, at) => `${at};`.padEnd(1000, 'x')),
      delayMs: 300,
    }),
    acting('act-once', { chunks: ['done'], delayMs: 1 }),
  ],
});
afterAll(() => host.stop());

/** The frames of a stream until one is of this type. */
async function until(stream: Awaited<ReturnType<typeof openEvents>>, type: string) {
  const seen = [];
  for (let frame = await stream.next(); frame !== undefined; frame = await stream.next()) {
    seen.push(frame);
    if (frame.event === type) return seen;
  }
  throw new Error(`the stream ended before ${type}`);
}

it('records the text that an effect brings while it is under way, and aborts the call with its run', async () => {
  const { body: run } = await host.post('/v1/runs', { workflowId: 'telling' });
  const stream = await openEvents(host, `/v1/runs/${run.runId}/events`);
  const frames = await until(stream, 'output.chunk');
  const { payload } = JSON.parse(frames.at(-1)!.data);
  expect(payload).toEqual({
    nodeId: 'act',
    runId: run.runId,
    channel: '1',
    chunk: 'Once upon a time',
    isLast: false,
  });
  await host.post(`/v1/runs/${run.runId}/cancel`, {});
  const rest = await stream.rest();
  expect(rest.at(-1)?.event).toBe('run.cancelled');
  // The last part is told when the call has ended, and there is no such run any more.
  expect(rest.map(({ event }) => event)).not.toContain('output.chunk');
});

it('shows readers of messages each part, without an id', async () => {
  const { body: run } = await host.post('/v1/runs', { workflowId: 'telling' });
  const first = await openEvents(host, `/v1/runs/${run.runId}/events?streamMode=messages`);
  await host.post(`/v1/runs/${run.runId}/cancel`, {});
  const frames = await first.rest();
  const chunks = frames.filter(({ event }) => event === 'ai.message.chunk');
  // A reader that comes later misses the parts before; the end of the call is told in any case.
  expect(JSON.parse(chunks.at(-1)?.data ?? '{}')).toEqual({
    runId: run.runId,
    nodeId: 'act',
    channel: '1',
    chunk: '',
    isLast: true,
  });
  expect(chunks.every(({ id }) => id === undefined)).toBe(true);
  expect(frames.at(-1)?.event).toBe('run.cancelled');
});

it('takes each call once, under a key with the number of its step', async () => {
  const { body: run } = await host.post(
    '/v1/runs',
    { workflowId: 'act-once' },
    { headers: { prefer: 'wait=5' } },
  );
  expect((await host.get(`/v1/runs/${run.runId}`)).body.status).toBe('completed');
  const { body: log } = await host.get(`/v1/runs/${run.runId}/events`, {
    headers: { accept: 'application/json' },
  });
  const settled = log.events.find(({ type }: { type: string }) => type === 'baton.effect.settled');
  expect(settled.payload.outputs).toEqual({ performed: true, idempotencyKey: `${run.runId}/act/1/1/1` });
});

it('loses nothing of a long text, in the log or for a reader that is there', async () => {
  const whole = Array.from({ length: 60 }, (_, at) => `${at};`.padEnd(1000, 'x')).join('');
  const { body: run } = await host.post('/v1/runs', { workflowId: 'long' });
  const stream = await openEvents(host, `/v1/runs/${run.runId}/events?streamMode=updates,messages`);
  const frames = await stream.rest();
  const textOf = (name: string, chunkIn: (data: string) => string) =>
    frames
      .filter(({ event }) => event === name)
      .map(({ data }) => chunkIn(data))
      .join('');
  expect(textOf('output.chunk', (data) => JSON.parse(data).payload.chunk)).toBe(whole);
});
