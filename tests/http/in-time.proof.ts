import { expect, it, onTestFinished } from 'vitest';
import { startTestHost } from './host.ts';
import { openEvents } from './server-sent.ts';

/** What a host does at once, although it was asked to wait. The bounds are far from both. */

it('does not hold back the end of a run for a reader that gathers events', async () => {
  const host = await startTestHost();
  onTestFinished(() => host.stop());
  const { body } = await host.post('/v1/runs', { workflowId: 'short-wait' });
  const began = performance.now();
  const stream = await openEvents(host, `/v1/runs/${body.runId}/events?bufferMs=5000`);
  const frames = await stream.rest();
  expect(performance.now() - began).toBeLessThan(3500);
  expect(JSON.parse(frames.at(-1)!.data).at(-1).type).toBe('run.completed');
});

it('stops soon, and ends streams, polls and waits', async () => {
  const host = await startTestHost();
  const { body } = await host.post('/v1/runs', { workflowId: 'slow' });
  const stream = await openEvents(host, `/v1/runs/${body.runId}/events`);
  await stream.next();
  const poll = host.get(`/v1/runs/${body.runId}/events/poll?lastSequence=1&timeout=30`);
  const waiting = host.run('slow');
  await host.get(`/v1/runs/${body.runId}`);
  const began = performance.now();
  await host.stop();
  expect(performance.now() - began).toBeLessThan(10_000);
  await stream.rest();
  expect((await poll).status).toBe(200);
  expect((await waiting).status).toBe(201);
  await expect(host.get('/healthz')).rejects.toThrow();
});
