import { afterAll, describe, expect, it } from 'vitest';
import { sharedHost } from './host.ts';
import { allEvents, openEvents } from './server-sent.ts';

const host = await sharedHost();
afterAll(() => host.stop());
const doneId: string = (await host.run('three-steps')).body.runId;

interface LoggedEvent {
  readonly sequence: number;
  readonly type: string;
  readonly eventId: string;
  readonly nodeId?: string;
}

const logOf = async (runId: string): Promise<readonly LoggedEvent[]> =>
  (await host.get(`/v1/runs/${runId}/events`)).body.events;

describe('the log as JSON', () => {
  it('holds every event from the first to the last', async () => {
    const events = await logOf(doneId);
    expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index));
    expect(events[0]).toMatchObject({ type: 'run.started', runId: doneId });
    expect(events.at(-1)?.type).toBe('run.completed');
    const completed = events.filter((event) => event.type === 'node.completed');
    expect(completed.map((event) => event.nodeId)).toEqual(['a', 'b', 'c']);
  });

  it('is answered at once for a run that waits', async () => {
    const { body } = await host.run('gate');
    const events = await logOf(body.runId);
    expect(events.some((event) => event.type === 'interrupt.requested')).toBe(true);
  });
});

describe('polling', () => {
  const poll = (query: string, runId = doneId) => host.get(`/v1/runs/${runId}/events/poll${query}`);

  it('gives the whole log, or what comes after a sequence', async () => {
    const all = (await poll('')).body;
    expect([all.isComplete, all.events]).toEqual([true, await logOf(doneId)]);
    const some = (await poll('?lastSequence=2')).body;
    expect(some.events).toEqual(all.events.slice(3));
    expect((await poll('?lastSequence=99999')).body).toEqual({ events: [], isComplete: true });
  });

  it('waits for the next event', async () => {
    const { body } = await host.run('gate');
    const waiting = poll(`?lastSequence=${body.lastSequence}&timeout=20`, body.runId);
    await host.post(`/v1/runs/${body.runId}/interrupts/gate`, { resumeValue: { action: 'accept' } });
    const answer = await waiting;
    expect(answer.body.events[0].sequence).toBe(body.lastSequence + 1);
  });

  it('gives up when nothing comes', async () => {
    const { body } = await host.run('gate');
    const answer = await poll(`?lastSequence=${body.lastSequence}&timeout=1`, body.runId);
    expect(answer.body).toEqual({ events: [], isComplete: false });
  });
});

describe('the stream', () => {
  it('frames each event with its type and sequence, and closes after the last', async () => {
    const stream = await openEvents(host, `/v1/runs/${doneId}/events`);
    expect(stream.response.headers.get('content-type')).toContain('text/event-stream');
    const frames = await stream.rest();
    const events = await logOf(doneId);
    expect(frames.map((frame) => JSON.parse(frame.data))).toEqual(events);
    expect(frames.map((frame) => frame.event)).toEqual(events.map((event) => event.type));
    expect(frames.map((frame) => Number(frame.id))).toEqual(events.map((event) => event.sequence));
  });

  it('follows a run as it moves, and closes when it ends', async () => {
    const { body } = await host.run('gate');
    const stream = await openEvents(host, `/v1/runs/${body.runId}/events`);
    const types: (string | undefined)[] = [];
    while (types.at(-1) !== 'interrupt.requested') types.push((await stream.next())?.event);
    await host.post(`/v1/runs/${body.runId}/interrupts/gate`, { resumeValue: { action: 'accept' } });
    types.push(...(await stream.rest()).map((frame) => frame.event));
    expect(types).toEqual((await logOf(body.runId)).map((event) => event.type));
  });

  it('has nothing more to say after the end', async () => {
    const last = (await logOf(doneId)).length - 1;
    for (const id of [last, last + 50]) {
      const stream = await openEvents(host, `/v1/runs/${doneId}/events`, { 'last-event-id': String(id) });
      expect(stream.response.status).toBe(200);
      expect(await stream.rest()).toEqual([]);
    }
  });

  it('survives a reader that goes away', async () => {
    const { body } = await host.run('gate');
    const stream = await openEvents(host, `/v1/runs/${body.runId}/events`);
    await stream.next();
    stream.close();
    await host.post(`/v1/runs/${body.runId}/interrupts/gate`, { resumeValue: { action: 'accept' } });
    expect((await logOf(body.runId)).at(-1)?.type).toBe('run.completed');
  });

  it('gives many readers of one run the same', async () => {
    const { body } = await host.post('/v1/runs', { workflowId: 'short-wait' });
    const path = `/v1/runs/${body.runId}/events`;
    const all = await Promise.all(Array.from({ length: 10 }, () => allEvents(host, path)));
    const expected = (await logOf(body.runId)).map((event) => String(event.sequence));
    for (const frames of all) expect(frames.map((frame) => frame.id)).toEqual(expected);
  });
});

describe('stream modes', () => {
  const typesIn = async (runId: string, mode: string) =>
    (await allEvents(host, `/v1/runs/${runId}/events?streamMode=${mode}`)).map((frame) => frame.event);

  it.each(['updates', 'debug', 'updates,messages', 'updates,debug', 'messages,debug'])(
    '%s shows every event',
    async (mode) => {
      expect(await typesIn(doneId, mode)).toEqual((await logOf(doneId)).map((event) => event.type));
    },
  );

  it('messages shows what agents say, and the end', async () => {
    const { body } = await host.run('talkative');
    const types = await typesIn(body.runId, 'messages');
    expect(types).toContain('agent.reasoned');
    expect(types.at(-1)).toBe('run.completed');
    expect(types.filter((type) => type?.startsWith('node.'))).toEqual([]);
  });

  it('values shows the state, up to the final one', async () => {
    const { body } = await host.post('/v1/runs', { workflowId: 'short-wait' });
    const frames = await allEvents(host, `/v1/runs/${body.runId}/events?streamMode=values`);
    expect(frames.every((frame) => frame.event === 'values')).toBe(true);
    expect(JSON.parse(frames.at(-1)!.data)).toMatchObject({ runId: body.runId, status: 'completed' });
    const ids = frames.map((frame) => Number(frame.id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });

  it.each(['does-not-exist', 'values,updates', 'updates,bogus', '', ','])('refuses "%s"', async (mode) => {
    for (const accept of ['application/json', 'text/event-stream']) {
      const answer = await host.get(`/v1/runs/${doneId}/events?streamMode=${mode}`, { headers: { accept } });
      expect(answer).toMatchObject({ status: 400, body: { error: 'unsupported_stream_mode' } });
      expect(answer.body.details.supported).toEqual(['updates', 'values', 'messages', 'debug']);
    }
  });
});

describe('buffering', () => {
  it('puts events together, and loses none', async () => {
    const { body } = await host.post('/v1/runs', { workflowId: 'short-wait' });
    const frames = await allEvents(host, `/v1/runs/${body.runId}/events?bufferMs=100`);
    expect(frames.every((frame) => frame.event === 'batch')).toBe(true);
    expect(frames.flatMap((frame) => JSON.parse(frame.data))).toEqual(await logOf(body.runId));
  });

  it('of 0 is none', async () => {
    const frames = await allEvents(host, `/v1/runs/${doneId}/events?bufferMs=0`);
    expect(frames.some((frame) => frame.event === 'batch')).toBe(false);
  });
});

it('sends a long log in pages, whole and in order', async () => {
  const workflow = {
    id: 'long',
    nodes: Array.from({ length: 700 }, (_, i) => ({ id: `n${i}`, typeId: 'core.noop' })),
    edges: Array.from({ length: 699 }, (_, i) => ({ sourceNodeId: `n${i}`, targetNodeId: `n${i + 1}` })),
  };
  expect((await host.post('/v1/workflows', workflow)).status).toBe(201);
  const { body } = await host.run('long');
  expect(body.status).toBe('completed');
  const events = await logOf(body.runId);
  expect(events.length).toBeGreaterThan(1400);
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index));
  const frames = await allEvents(host, `/v1/runs/${body.runId}/events`);
  expect(frames.map((frame) => JSON.parse(frame.data))).toEqual(events);
});
