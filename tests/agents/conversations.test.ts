import { afterAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, sharedHost } from '../http/host.ts';

/** The history that an agent is told belongs to its conversation, its agent and its tenant, and it is bounded. */

const OTHER_KEY = 'key-of-another-tenant';
const CLERK = 'local.desk.clerk';
const TALKER = 'local.desk.talker';
const SLOW = 'local.desk.slow';
const BROKEN = 'local.desk.broken';
const LESSER_KEY = 'key-that-only-runs';
const LONG = 'y'.repeat(20_000);

const manifest = (agentId: string, text: string) => ({
  agentId,
  persona: 'Clerk',
  modelClass: 'general',
  systemPrompt: 'You are a clerk.',
  baton: { script: [{ text }] },
});
const host = await sharedHost({ testSeams: true }, [
  { token: OTHER_KEY, tenant: 'other', scopes: ALL_SCOPES },
  { token: LESSER_KEY, tenant: 'default', scopes: ['runs:create', 'runs:read'] },
]);
afterAll(() => host.stop());
for (const [id, text] of [
  [CLERK, 'Yes.'],
  [TALKER, LONG],
] as const) {
  expect((await host.post('/v1/agents', { manifest: manifest(id, text) })).status).toBe(201);
}
for (const [id, script] of [
  [SLOW, [{ text: 'At last.', delayMs: 600_000 }]],
  [BROKEN, [{ when: 'Fail', refusal: 'No.' }, { text: 'Yes.' }]],
] as const) {
  const slow = { ...manifest(id, ''), baton: { script } };
  expect((await host.post('/v1/agents', { manifest: slow })).status).toBe(201);
}
const others = await host.post('/v1/agents', { manifest: manifest(CLERK, 'No.') }, { key: OTHER_KEY });
expect(others.status).toBe(201);

/** Sends a message, and returns the history that its run was given. */
async function told(agentId: string, message: string, conversationId: string, key?: string) {
  const body = { message, conversationId };
  const sent = await host.post(`/v1/agents/${agentId}/messages`, body, { ...(key && { key }) });
  expect(sent.body).toMatchObject({ status: 'completed' });
  const run = await host.get(`/v1/runs/${sent.body.runId}`, { ...(key && { key }) });
  return run.body.inputs.history as readonly { readonly content: string }[] | undefined;
}

describe('the history of a conversation', () => {
  it('LIVE-31 is not shared with another conversation, another agent or another tenant', async () => {
    expect(await told(CLERK, 'One?', 'same')).toBeUndefined();
    expect(await told(CLERK, 'One?', 'different')).toBeUndefined();
    expect(await told(TALKER, 'One?', 'same')).toBeUndefined();
    expect(await told(CLERK, 'One?', 'same', OTHER_KEY)).toBeUndefined();
    const mine = await told(CLERK, 'Two?', 'same');
    expect(mine?.map(({ content }) => content)).toEqual(['One?', 'Yes.']);
    const theirs = await told(CLERK, 'Two?', 'same', OTHER_KEY);
    expect(theirs?.map(({ content }) => content)).toEqual(['One?', 'No.']);
  });

  it('holds the latest exchanges that fit into 32 KiB', async () => {
    await told(TALKER, 'One?', 'long');
    await told(TALKER, 'Two?', 'long');
    const history = await told(TALKER, 'Three?', 'long');
    expect(history?.map(({ content }) => content.slice(0, 4))).toEqual(['Two?', 'yyyy']);
  });

  it('holds at most the latest 20 exchanges, the oldest first', async () => {
    for (let at = 0; at < 21; at += 1) await told(CLERK, `m${at}`, 'many');
    const history = await told(CLERK, 'last', 'many');
    const questions = history?.filter((_, at) => at % 2 === 0).map(({ content }) => content);
    expect(questions).toEqual(Array.from({ length: 20 }, (_, at) => `m${at + 1}`));
  });
});

describe('what is left out of the history', () => {
  const send = (message: string, conversationId: string) =>
    host.post(`/v1/agents/${BROKEN}/messages`, { message, conversationId });

  it('is a message that was not answered, and one that was erased', async () => {
    expect((await send('Fail!', 'gaps')).body.status).toBe('failed');
    const first = await send('One?', 'gaps');
    await send('Three?', 'gaps');
    expect((await host.post(`/v1/runs/${first.body.runId}:erase`, { reason: 'asked to' })).status).toBe(200);
    const history = await told(BROKEN, 'Four?', 'gaps');
    expect(history?.map(({ content }) => content)).toEqual(['Three?', 'Yes.']);
  });
});

describe('a message', () => {
  it('waits for the answer to the one before, unless it is the same message again', async () => {
    const send = (message: string, key?: string) =>
      host.post(
        `/v1/agents/${SLOW}/messages`,
        { message, conversationId: 'open' },
        { headers: { prefer: 'wait=1', ...(key !== undefined && { 'idempotency-key': key }) } },
      );
    const first = await send('One?', 'key-1');
    expect(first.body.status).toBe('running');
    expect((await send('One?', 'key-1')).body.runId).toBe(first.body.runId);
    for (const key of [undefined, 'key-2']) {
      const refused = await send('Two?', key);
      expect([refused.status, refused.body.error]).toEqual([409, 'run_state_conflict']);
      expect(refused.body.details.runId).toBe(first.body.runId);
    }
    expect((await host.post(`/v1/runs/${first.body.runId}/cancel`)).status).toBe(200);
  });

  it('gives its run the scopes of the key that sent it', async () => {
    const sent = await host.post(`/v1/agents/${CLERK}/messages`, { message: 'Hi.' }, { key: LESSER_KEY });
    const { body } = await host.get(`/v1/runs/${sent.body.runId}/events/poll?limit=1`);
    expect(body.events[0].payload.scopes).toEqual(['runs:create', 'runs:read']);
  });
});
