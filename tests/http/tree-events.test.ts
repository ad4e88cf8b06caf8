import type { EventOfTree, RunEvent } from '@baton/protocol';
import type { EventSourceMessage } from 'eventsource-parser';
import { afterAll, expect, it } from 'vitest';
import { sharedHost } from './host.ts';
import { allEvents, openEvents } from './server-sent.ts';

/** A parent whose child runs the workflow `gate`, which waits for an approval. */
const host = await sharedHost({}, [{ token: 'other-key', tenant: 'other', scopes: ['runs:read'] }]);
afterAll(() => host.stop());
const runId: string = (await host.run('parent')).body.runId;
const childId: string = `${runId}.1`;
const stream = await openEvents(host, `/v1/runs/${runId}/tree/events`);
const first = await stream.next();
await host.post(`/v1/runs/${childId}/interrupts/gate`, { resumeValue: { action: 'accept' } });
const all: readonly EventSourceMessage[] = [first!, ...(await stream.rest())];

const told = (frames: readonly EventSourceMessage[]): readonly EventOfTree[] =>
  frames.filter(({ event }) => event === 'tree.event').map(({ data }) => JSON.parse(data));
const logOf = async (id: string): Promise<readonly RunEvent[]> =>
  (await host.get(`/v1/runs/${id}/events`)).body.events;
const ofRun = (frames: readonly EventSourceMessage[], id: string): readonly RunEvent[] =>
  told(frames)
    .filter((event) => event.runId === id)
    .map(({ event }) => event);

it('has every event of a run and its descendants once, live and in the order in which they happened', async () => {
  expect(ofRun(all, runId)).toEqual(await logOf(runId));
  expect(ofRun(all, childId)).toEqual(await logOf(childId));
  const events = told(all);
  expect(events.map(({ place }) => place)).toEqual(events.map((_, index) => index + 1));
  const types = events.map(({ runId: id, event }) => `${id === runId ? 'parent' : 'child'} ${event.type}`);
  expect(types.indexOf('parent node.started')).toBeLessThan(types.indexOf('child run.started'));
  expect(types.indexOf('child run.completed')).toBeLessThan(types.indexOf('parent run.completed'));
});

it('ends with a frame that says so, and is the same after the runs have ended', async () => {
  expect(all.at(-1)).toMatchObject({ event: 'tree.ended' });
  expect(await allEvents(host, `/v1/runs/${runId}/tree/events`)).toEqual(all);
});

it('goes on after any event that a reader has', async () => {
  for (const [index, frame] of all.slice(0, -1).entries()) {
    const rest = await allEvents(host, `/v1/runs/${runId}/tree/events`, { 'last-event-id': frame.id! });
    expect(rest).toEqual(all.slice(index + 1));
  }
  expect(await allEvents(host, `/v1/runs/${runId}/tree/events?lastEventId=3`)).toEqual(all.slice(3));
});

it('of a child has the events of the child only', async () => {
  const frames = await allEvents(host, `/v1/runs/${childId}/tree/events`);
  expect(told(frames)).toEqual(told(all).filter((event) => event.runId === childId));
});

it('of a fork begins with the events of its source', async () => {
  const { body } = await host.post(`/v1/runs/${runId}:fork`, { mode: 'replay', fromSeq: 3 });
  const frames = await allEvents(host, `/v1/runs/${body.runId}/tree/events`);
  expect(ofRun(frames, body.runId)).toEqual(await logOf(body.runId));
  const places = told(frames).map(({ place }) => place);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

it.each([
  ['a run that does not exist', 'no-such-run', '', 404],
  ['a mode that shows the state', undefined, '?streamMode=values', 400],
  ['a mode that leaves out events', undefined, '?streamMode=messages', 400],
  ['a place that is no number', undefined, '?lastEventId=x', 400],
])('refuses %s', async (_, id, query, status) => {
  expect((await host.get(`/v1/runs/${id ?? runId}/tree/events${query}`)).status).toBe(status);
});
