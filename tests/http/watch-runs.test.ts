import { afterAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, sharedHost } from './host.ts';
import { openEvents } from './server-sent.ts';

/** The feed of all runs of a tenant. */

const asOther = () => ({ authorization: `Bearer ${host.keyOf('other')}` });
const host = await sharedHost({}, [
  { token: 'other', tenant: 'other', scopes: ALL_SCOPES },
  { token: 'blind', tenant: 'default', scopes: ['runs:create'] },
]);
afterAll(() => host.stop());

async function watch(headers: Readonly<Record<string, string>> = {}) {
  const stream = await openEvents(host, '/v1/runs:watch', headers);
  const next = async () => {
    const frame = await stream.next();
    return frame && { name: frame.event, run: JSON.parse(frame.data) };
  };
  /** The next frame that tells of this run in this state. */
  const until = async (runId: string, status: string) => {
    for (let frame = await next(); frame !== undefined; frame = await next()) {
      if (frame.run.runId === runId && frame.run.status === status) return frame.run;
    }
    throw new Error('the stream has ended');
  };
  return { ...stream, next, until };
}

describe('the feed of runs', () => {
  it('begins with a reset, and tells of runs that are created and change', async () => {
    const feed = await watch();
    expect(feed.response.headers.get('content-type')).toContain('text/event-stream');
    expect(await feed.next()).toEqual({ name: 'reset', run: {} });
    const { runId } = (await host.run('parent')).body;
    const waiting = await feed.until(runId, 'waiting-approval');
    expect(waiting.waitingFor).toMatchObject([{ runId: `${runId}.1`, kind: 'approval' }]);
    await host.post(`/v1/runs/${runId}/cancel`);
    const [listed] = (await host.get(`/v1/runs?q=${runId}&roots=true`)).body.runs;
    expect(await feed.until(runId, 'cancelled')).toEqual(listed);
    feed.close();
  });

  it('tells a tenant nothing of another one', async () => {
    const feed = await watch(asOther());
    expect(await feed.next()).toMatchObject({ name: 'reset' });
    await host.run('quick');
    const sent = await host.post('/v1/runs', { workflowId: 'quick' }, { key: 'other' });
    const first = await feed.next();
    expect(first?.run.runId).toBe(sent.body.runId);
    feed.close();
  });
});
