import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { ALL_SCOPES, type Answer, sharedHost, startTestHost } from './host.ts';

const WATCHER = { key: 'watcher' };

const host = await sharedHost({}, [
  { token: WATCHER.key, tenant: 'default', scopes: ['runs:read'] },
  { token: 'approver', tenant: 'default', scopes: ['runs:read', 'approvals:respond'] },
  { token: 'stranger', tenant: 'elsewhere', scopes: ALL_SCOPES },
]);
afterAll(() => host.stop());

const accept = { resumeValue: { action: 'accept' } };

/** Waits for the end through the log, without polling. */
const endOf = async (runId: string): Promise<string> => {
  let last = -1;
  for (;;) {
    const { body } = await host.get(`/v1/runs/${runId}/events/poll?lastSequence=${last}&timeout=20`);
    if (body.isComplete) return (await host.get(`/v1/runs/${runId}`)).body.status;
    last = body.events.at(-1)?.sequence ?? last;
  }
};

describe('answering by node', () => {
  it('lets an approval through', async () => {
    const { body } = await host.run('gate');
    expect((await host.post(`/v1/runs/${body.runId}/interrupts/gate`, accept)).status).toBe(200);
    expect(await endOf(body.runId)).toBe('completed');
  });

  it('takes the answers to a clarification', async () => {
    const { body } = await host.run('question');
    expect(body.status).toBe('waiting-input');
    const answer = { resumeValue: { answers: { q1: 'blue' } } };
    expect((await host.post(`/v1/runs/${body.runId}/interrupts/ask`, answer)).status).toBe(200);
    expect(await endOf(body.runId)).toBe('completed');
  });

  it('takes an approval at the old address', async () => {
    const { body } = await host.run('gate');
    expect((await host.post(`/v1/runs/${body.runId}/approvals/gate`, { action: 'accept' })).status).toBe(200);
    expect(await endOf(body.runId)).toBe('completed');
  });

  it('answers 409 at the old address once the run is cancelled, and 410 at the new one', async () => {
    const { body } = await host.run('gate');
    await host.post(`/v1/runs/${body.runId}/cancel`);
    expect(await host.post(`/v1/runs/${body.runId}/approvals/gate`, { action: 'accept' })).toMatchObject({
      status: 409,
      body: { error: 'interrupt_resolved', details: { runStatus: 'cancelled' } },
    });
    const now = await host.post(`/v1/runs/${body.runId}/interrupts/gate`, accept);
    expect(now).toMatchObject({ status: 410, body: { error: 'interrupt_gone' } });
  });

  it.each([
    ['an action nobody offered', { action: 'maybe' }],
    ['no action', {}],
    ['text', 'accept'],
    ['nothing', null],
    ['a refinement without a word', { action: 'refine' }],
    ['an edit without the edit', { action: 'edit-accept' }],
  ])('refuses %s', async (_what, resumeValue) => {
    const { body } = await host.run('gate');
    const answer = await host.post(`/v1/runs/${body.runId}/interrupts/gate`, { resumeValue });
    expect([400, 422]).toContain(answer.status);
    expect((await host.get(`/v1/runs/${body.runId}`)).body.status).toBe('waiting-approval');
  });

  it('does not know every node', async () => {
    const { body } = await host.run('gate');
    expect((await host.post(`/v1/runs/${body.runId}/interrupts/no-such-node`, accept)).status).toBe(404);
  });

  it('takes one answer only', async () => {
    const { body } = await host.run('gate');
    await host.post(`/v1/runs/${body.runId}/interrupts/gate`, accept);
    const again = await host.post(`/v1/runs/${body.runId}/interrupts/gate`, accept);
    expect([404, 409, 410]).toContain(again.status);
  });
});

describe('overriding an approval', () => {
  const override = { resumeValue: { action: 'accept', override: true, reason: 'The site is down.' } };

  it('takes a key with the scope, and the log says who and why', async () => {
    const { body } = await host.run('strict-gate');
    const path = `/v1/runs/${body.runId}/interrupts/gate`;
    expect((await host.post(path, override, { key: 'approver' })).status).toBe(403);
    expect((await host.post(body.interrupt.callbackUrl, override, { key: null })).status).toBe(403);
    expect((await host.post(path, override)).status).toBe(200);
    expect(await endOf(body.runId)).toBe('completed');
    const { events } = (await host.get(`/v1/runs/${body.runId}/events`)).body;
    expect(events.find(({ type }: { type: string }) => type === 'approval.overridden').payload).toEqual({
      gateId: 'gate:1:1',
      principal: 'operator',
      reason: 'The site is down.',
    });
  });
});

describe('a signed link', () => {
  const linkOf = ({ body }: Answer): string => body.interrupt.callbackUrl;

  it('shows the question and takes the answer without a key', async () => {
    const run = await host.run('gate');
    const link = linkOf(run);
    expect(link).toBe(`/v1/interrupts/${run.body.interrupt.interruptToken}`);
    const shown = await host.get(link, { key: null });
    expect(shown.body).toMatchObject({ runId: run.body.runId, nodeId: 'gate', kind: 'approval' });
    expect(shown.body.data.title).toBe('Ship it?');
    expect((await host.post(link, accept, { key: null })).status).toBe(200);
    expect(await endOf(run.body.runId)).toBe('completed');
  });

  it('is spent once the answer is given', async () => {
    const link = linkOf(await host.run('gate'));
    await host.post(link, accept, { key: null });
    expect([409, 410]).toContain((await host.post(link, accept, { key: null })).status);
    expect((await host.get(link, { key: null })).status).toBe(410);
  });

  it('ends with its run', async () => {
    const run = await host.run('gate');
    await host.post(`/v1/runs/${run.body.runId}/cancel`);
    expect((await host.get(linkOf(run), { key: null })).status).toBe(410);
    expect([409, 410]).toContain((await host.post(linkOf(run), accept, { key: null })).status);
  });

  it('checks what an outside event is about', async () => {
    const run = await host.run('delivery');
    expect(run.body.status).toBe('waiting-external');
    const wrong = { resumeValue: { orderId: 'o-2', status: 'shipped' } };
    expect([400, 422]).toContain((await host.post(linkOf(run), wrong, { key: null })).status);
    expect((await host.get(`/v1/runs/${run.body.runId}`)).body.status).toBe('waiting-external');
    const right = { resumeValue: { orderId: 'o-1', status: 'shipped', extra: true } };
    expect((await host.post(linkOf(run), right, { key: null })).status).toBe(200);
    expect(await endOf(run.body.runId)).toBe('completed');
  });

  it.each(['nonsense', 'a.b', 'a.b.c', '.', 'e30.AAAA'])(
    'that nobody signed is unknown: %s',
    async (token) => {
      expect((await host.get(`/v1/interrupts/${token}`, { key: null })).status).toBe(404);
      expect((await host.post(`/v1/interrupts/${token}`, accept, { key: null })).status).toBe(404);
      expect((await host.post(`/v1/interrupts/${token}`, {}, { key: null })).status).toBe(404);
    },
  );

  it('that was tampered with is unknown', async () => {
    const link = linkOf(await host.run('gate'));
    const [payload = '', mac = ''] = link.replace('/v1/interrupts/', '').split('.');
    const claim = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify(['other', ...claim.slice(1)])).toString('base64url');
    expect((await host.get(`/v1/interrupts/${forged}.${mac}`, { key: null })).status).toBe(404);
  });

  it('is not enough where the answerer must be known', async () => {
    const run = await host.run('guarded-gate');
    const link = linkOf(run);
    expect((await host.get(link, { key: null })).status).toBe(401);
    expect((await host.post(link, accept, { key: null })).status).toBe(401);
    expect((await host.post(link, accept, WATCHER)).status).toBe(403);
    expect((await host.post(link, accept, { key: 'stranger' })).status).toBe(404);
    expect((await host.post(link, accept)).status).toBe(200);
    expect(await endOf(run.body.runId)).toBe('completed');
  });

  it('is only given to those who may answer themselves', async () => {
    const { body } = await host.run('gate');
    const seen = await host.get(`/v1/runs/${body.runId}`, WATCHER);
    expect(seen.body.interrupt.key).toBe(body.interrupt.key);
    expect(seen.text).not.toContain('interruptToken');
    expect((await host.get('/v1/interrupts', WATCHER)).text).not.toContain('interruptToken');
  });
});

it('forgets links whose time is up', async () => {
  const hasty = await startTestHost({ tokenTtlMs: 1 });
  const { body } = await hasty.run('gate');
  // A request can come within the two milliseconds for which the link is good.
  await eventually(async () =>
    expect((await hasty.get(body.interrupt.callbackUrl, { key: null })).status).toBe(410),
  );
  await hasty.stop();
});

it('lists what waits, over all runs and in pages', async () => {
  const quiet = await sharedHost();
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1) ids.push((await quiet.run('gate')).body.runId);
  await quiet.run('quick');
  const first = (await quiet.get('/v1/interrupts?limit=2')).body;
  expect(first.interrupts).toHaveLength(2);
  expect(first.interrupts[0]).toMatchObject({
    workflowId: 'gate',
    nodeId: 'gate',
    kind: 'approval',
    title: 'Ship it?',
  });
  const second = (await quiet.get(`/v1/interrupts?limit=2&cursor=${first.nextCursor}`)).body;
  expect(second.nextCursor).toBeUndefined();
  const listed = [...first.interrupts, ...second.interrupts].map((entry: { runId: string }) => entry.runId);
  expect(listed.sort()).toEqual(ids.sort());
  const { callbackUrl } = first.interrupts[0];
  expect((await quiet.post(callbackUrl, accept, { key: null })).status).toBe(200);
  expect((await quiet.get('/v1/interrupts')).body.interrupts).toHaveLength(2);
  await quiet.stop();
});
