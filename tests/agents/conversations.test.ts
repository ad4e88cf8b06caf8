import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startTestHost, type TestHost } from '../http/host.ts';
import { verifies } from '../verifies.ts';

/** The history that an agent is told belongs to its conversation, its agent and its tenant, and it is bounded. */

const OTHER_KEY = 'key-of-another-tenant';
const CLERK = 'local.desk.clerk';
const TALKER = 'local.desk.talker';
const LONG = 'y'.repeat(20_000);

const manifest = (agentId: string, text: string) => ({
  agentId,
  persona: 'Clerk',
  modelClass: 'general',
  systemPrompt: 'You are a clerk.',
  baton: { script: [{ text }] },
});

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({ testSeams: true }, [
    { token: OTHER_KEY, tenant: 'other', scopes: ALL_SCOPES },
  ]);
  for (const [id, text] of [
    [CLERK, 'Yes.'],
    [TALKER, LONG],
  ] as const) {
    expect((await host.post('/v1/agents', { manifest: manifest(id, text) })).status).toBe(201);
  }
  const others = await host.post('/v1/agents', { manifest: manifest(CLERK, 'No.') }, { key: OTHER_KEY });
  expect(others.status).toBe(201);
});
afterAll(() => host.stop());

/** Sends a message, and returns the history that its run was given. */
async function told(agentId: string, message: string, conversationId: string, key?: string) {
  const body = { message, conversationId };
  const sent = await host.post(`/v1/agents/${agentId}/messages`, body, { ...(key && { key }) });
  expect(sent.body).toMatchObject({ status: 'completed' });
  const run = await host.get(`/v1/runs/${sent.body.runId}`, { ...(key && { key }) });
  return run.body.inputs.history as readonly { readonly content: string }[] | undefined;
}

describe('the history of a conversation', () => {
  it('is not shared with another conversation, another agent or another tenant', async () => {
    verifies('LIVE-31');
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
