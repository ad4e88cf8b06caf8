import { afterAll, describe, expect, it } from 'vitest';
import { sharedHost } from './host.ts';

const host = await sharedHost();
afterAll(() => host.stop());

describe('starting a run', () => {
  it('answers with where to find it', async () => {
    const { status, headers, body } = await host.post('/v1/runs', { workflowId: 'quick' });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/v1/runs/${body.runId}`);
    expect(body).toMatchObject({
      statusUrl: `/v1/runs/${body.runId}`,
      eventsUrl: `/v1/runs/${body.runId}/events`,
    });
    expect(typeof body.status).toBe('string');
  });

  it('waits for the outcome when asked to', async () => {
    const { status, headers, body } = await host.run('echo', {
      inputs: { payload: { deep: [1, null, 'x'] } },
    });
    expect(status).toBe(201);
    expect(headers.get('preference-applied')).toBe('wait');
    expect([body.status, body.variables.payload]).toEqual(['completed', { deep: [1, null, 'x'] }]);
  });

  it('waits no longer than asked to', async () => {
    const answer = await host.post('/v1/runs', { workflowId: 'slow' }, { headers: { prefer: 'wait=0' } });
    expect(answer).toMatchObject({ status: 201, body: { status: 'running' } });
  });

  it('stops waiting when the run waits for someone', async () => {
    const { body } = await host.run('gate');
    expect(body).toMatchObject({ status: 'waiting-approval', currentNodeId: 'gate' });
  });

  it('accepts a run that will fail', async () => {
    const { status, body } = await host.run('doomed');
    expect(status).toBe(201);
    expect([body.status, body.error]).toEqual(['failed', { code: 'it_broke', message: 'as it was told to' }]);
  });

  it('does not know every workflow', async () => {
    const { status, body } = await host.post('/v1/runs', { workflowId: 'no-such-workflow' });
    expect(status).toBe(404);
    expect(body.error).toBe('not_found');
  });

  it('passes the trace context on', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const sent = await host.post('/v1/runs', { workflowId: 'quick' }, { headers: { traceparent } });
    expect(sent.headers.get('traceparent')).toBe(traceparent);
    const log = await host.get(`/v1/runs/${sent.body.runId}/events`);
    expect(log.body.events[0].payload.traceparent).toBe(traceparent);
  });

  it('ignores a trace context that is none', async () => {
    const headers = { traceparent: '00-00000000000000000000000000000000-00f067aa0ba902b7-01' };
    const sent = await host.post('/v1/runs', { workflowId: 'quick' }, { headers });
    expect(sent.status).toBe(201);
    expect(sent.headers.get('traceparent')).toBeNull();
  });

  it('checks options against the schema of the workflow', async () => {
    const start = (configurable?: object) => host.post('/v1/runs', { workflowId: 'picky', configurable });
    expect((await start({ recursionLimit: 3, flavour: 'mint' })).status).toBe(201);
    expect((await start()).status).toBe(201);
    const wrong = await start({ flavour: 7 });
    expect(wrong.status).toBe(400);
    expect(wrong.body).toMatchObject({ error: 'validation_error', details: { field: 'flavour' } });
    expect((await start({ unheardOf: true })).status).toBe(400);
  });
});

describe('reading a run', () => {
  it('answers a second look with 304 until the run has moved', async () => {
    const { body } = await host.run('gate');
    const first = await host.get(`/v1/runs/${body.runId}`);
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"/);
    const again = await host.get(`/v1/runs/${body.runId}`, { headers: { 'if-none-match': etag } });
    expect(again).toMatchObject({ status: 304, text: '' });
    await host.post(`/v1/runs/${body.runId}/interrupts/gate`, { resumeValue: { action: 'accept' } });
    const moved = await host.get(`/v1/runs/${body.runId}`, { headers: { 'if-none-match': etag } });
    expect(moved.status).toBe(200);
    expect(moved.headers.get('etag')).not.toBe(etag);
  });

  it('shows children with their own ids, which can be read as well', async () => {
    const { body } = await host.run('parent');
    expect(body.status).toBe('waiting-approval');
    const [child] = body.childRuns;
    expect(child.runId).toBe(`${body.runId}.1`);
    expect((await host.get(`/v1/runs/${child.runId}`)).body).toMatchObject({
      parentRunId: body.runId,
      parentNodeId: 'call',
      status: 'waiting-approval',
    });
  });

  it.each(['no-such-run', '..', '%00', 'a'.repeat(900), '018f0000-0000-7000-8000-000000000000'])(
    'does not know the run %s',
    async (runId) => {
      expect((await host.get(`/v1/runs/${encodeURIComponent(runId)}`)).status).toBe(404);
    },
  );
});

describe('listing runs', () => {
  it('filters by workflow, status and tag', async () => {
    await host.run('three-steps', { tags: ['red'] });
    await host.run('three-steps', { tags: ['red', 'blue'] });
    await host.run('doomed', { tags: ['blue'] });
    const list = async (query: string) => (await host.get(`/v1/runs?${query}`)).body.runs;
    expect(await list('workflowId=three-steps')).toHaveLength(2);
    expect(await list('tag=blue')).toHaveLength(2);
    expect(await list('tag=blue&status=failed')).toHaveLength(1);
    expect(await list('workflowId=three-steps&tag=blue&status=completed')).toMatchObject([
      { workflowId: 'three-steps', status: 'completed', tags: ['red', 'blue'] },
    ]);
  });

  it('pages through all of them, each once', async () => {
    for (let i = 0; i < 5; i += 1) await host.run('quick', { tags: ['paged'] });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const next: string = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await host.get(`/v1/runs?tag=paged&limit=2${next}`);
      expect(body.runs.length).toBeLessThanOrEqual(2);
      seen.push(...body.runs.map((run: { runId: string }) => run.runId));
      cursor = body.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(5);
    expect(seen).toHaveLength(5);
  });

  it.each(['limit=0', 'limit=201', 'limit=ten', 'limit=1.5', 'status=asleep', 'cursor=!!!', 'workflowId='])(
    'refuses ?%s',
    async (query) => {
      const answer = await host.get(`/v1/runs?${query}`);
      expect(answer).toMatchObject({ status: 400, body: { details: { field: query.split('=')[0] } } });
    },
  );
});

describe('cancelling', () => {
  it('needs no body, and may be repeated', async () => {
    const { body } = await host.post('/v1/runs', { workflowId: 'slow' });
    for (const sent of [undefined, {}, { reason: 'changed my mind' }]) {
      const answer = await host.post(`/v1/runs/${body.runId}/cancel`, sent);
      expect(answer.status).toBe(200);
      expect(['cancelling', 'cancelled']).toContain(answer.body.status);
    }
    expect((await host.get(`/v1/runs/${body.runId}`)).body.status).toBe('cancelled');
  });

  it('accepts an empty body that says it is JSON', async () => {
    const { body } = await host.post('/v1/runs', { workflowId: 'slow' });
    const headers = { 'content-type': 'application/json' };
    expect((await host.post(`/v1/runs/${body.runId}/cancel`, undefined, { headers })).status).toBe(200);
  });

  it('leaves a run that has ended as it is', async () => {
    const { body } = await host.run('quick');
    expect((await host.post(`/v1/runs/${body.runId}/cancel`)).status).toBe(200);
    expect((await host.get(`/v1/runs/${body.runId}`)).body.status).toBe('completed');
  });

  it('takes the children along, and works on a child', async () => {
    const { body } = await host.run('parent');
    const child = body.childRuns[0].runId;
    expect((await host.post(`/v1/runs/${child}/cancel`)).status).toBe(200);
    expect((await host.get(`/v1/runs/${child}`)).body.status).toBe('cancelled');
    const other = (await host.run('parent')).body;
    await host.post(`/v1/runs/${other.runId}/cancel`);
    expect((await host.get(`/v1/runs/${other.childRuns[0].runId}`)).body.status).toBe('cancelled');
  });

  it('does not know every run', async () => {
    expect((await host.post('/v1/runs/no-such-run/cancel')).status).toBe(404);
  });
});

describe('cancelling many', () => {
  it('answers for each in the order of the request', async () => {
    const slow = (await host.post('/v1/runs', { workflowId: 'slow' })).body.runId;
    const done = (await host.run('quick')).body.runId;
    const { status, body } = await host.post('/v1/runs:bulk-cancel', { runIds: [slow, 'unknown', done] });
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { runId: slow, ok: true },
      { runId: 'unknown', ok: false, error: { code: 'not_found' } },
      { runId: done, ok: true },
    ]);
    const again = await host.post('/v1/runs:bulk-cancel', { runIds: [slow] });
    expect(again.body.results[0].ok).toBe(true);
  });

  it.each([
    ['none', []],
    ['too many', Array.from({ length: 101 }, (_, i) => `run-${i}`)],
  ])('refuses %s', async (_what, runIds) => {
    expect(await host.post('/v1/runs:bulk-cancel', { runIds })).toMatchObject({
      status: 400,
      body: { error: 'validation_error', details: { field: 'runIds', maxRunIds: 100 } },
    });
  });
});

describe('pausing and resuming', () => {
  it('holds a run and lets it go on', async () => {
    const { body } = await host.post('/v1/runs', { workflowId: 'slow' });
    const paused = await host.post(`/v1/runs/${body.runId}:pause`, {
      drainPolicy: 'immediate',
      reason: 'lunch',
    });
    expect(paused.status).toBe(202);
    expect((await host.get(`/v1/runs/${body.runId}`)).body.status).toBe('paused');
    const twice = await host.post(`/v1/runs/${body.runId}:pause`);
    expect(twice).toMatchObject({ status: 409, body: { details: { runStatus: 'paused' } } });
    expect((await host.post(`/v1/runs/${body.runId}:resume`)).status).toBe(202);
    const running = await host.post(`/v1/runs/${body.runId}:resume`);
    expect(running).toMatchObject({ status: 409, body: { details: { runStatus: 'running' } } });
    await host.post(`/v1/runs/${body.runId}/cancel`);
  });

  it.each([':pause', ':resume'])('refuses %s for a run that has ended', async (verb) => {
    const { body } = await host.run('quick');
    const answer = await host.post(`/v1/runs/${body.runId}${verb}`);
    expect(answer).toMatchObject({ status: 409, body: { details: { runStatus: 'completed' } } });
  });

  it.each([':pause', ':resume'])('finds a child by its dotted id with %s', async (verb) => {
    const { body } = await host.run('parent');
    const answer = await host.post(`/v1/runs/${body.runId}.1${verb}`, {});
    expect(answer.status).not.toBe(404);
    expect(answer.status).toBeLessThan(500);
  });

  it.each([':pause', ':resume'])('does not know every run with %s', async (verb) => {
    expect((await host.post(`/v1/runs/no-such-run${verb}`)).status).toBe(404);
    expect((await host.post(`/v1/runs/no-such-run.7${verb}`)).status).toBe(404);
  });
});

describe('artifacts', () => {
  it('shows what a person was asked to approve', async () => {
    const { body } = await host.run('gate');
    const answer = await host.get(`/v1/runs/${body.runId}/artifacts/${body.interrupt.key}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ artifactId: body.interrupt.key, runId: body.runId, nodeId: 'gate' });
    expect(Date.parse(answer.body.createdAt)).toBeGreaterThan(0);
  });

  it.each(['gate:99', 'constructor', '__proto__', '%2e%2e'])('does not know the artifact %s', async (id) => {
    const { body } = await host.run('gate');
    expect((await host.get(`/v1/runs/${body.runId}/artifacts/${id}`)).status).toBe(404);
    expect((await host.get(`/v1/runs/no-such-run/artifacts/${id}`)).status).toBe(404);
  });
});
