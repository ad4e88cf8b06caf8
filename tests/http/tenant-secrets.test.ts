import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { launchEngineThread } from '../../packages/server/dist/thread/launch.js';
import { emptyFolder } from '../empty-folder.ts';
import { bytesBelow, traces } from '../spellings.ts';
import { type Answer, sharedHost, startTestHost, type TestHost } from './host.ts';

const CANARY = 'sk-canary/5e2f+"90c é';
const NEXT = 'sk-next-canary-77b1';

const PROBE = {
  id: 'probe',
  nodes: [
    {
      id: 'probe',
      typeId: 'core.identity',
      config: { memoryAction: 'redaction-probe', byokSecretId: 'openai' },
    },
  ],
};

const GLOBEX = { key: 'globex-key-for-tests' };
const KEYS = [{ token: GLOBEX.key, tenant: 'globex', scopes: ['secrets:write', 'runs:create', 'runs:read'] }];

const put = (host: TestHost, name: string, value: unknown, sending = {}) =>
  host.send('PUT', `/v1/secrets/${name}`, { value }, sending);
const remove = (host: TestHost, name: string, sending = {}) =>
  host.send('DELETE', `/v1/secrets/${name}`, undefined, sending);

/** A run with the value in a variable, and everything that can be read of it. */
async function runWith(host: TestHost, value: string): Promise<string> {
  const { body, text } = await host.run('quick', { inputs: { note: `with ${value}` } });
  const { runId } = body;
  const told: Answer[] = [];
  for (const path of ['', '/events', '/debug-bundle']) told.push(await host.get(`/v1/runs/${runId}${path}`));
  return [text, ...told.map((answer) => answer.text)].join('\n');
}

it('keeps a secret out of everything, from the answer on, over a restart and a rotation', async () => {
  const folder = emptyFolder();
  let host = await startTestHost({ dataFolder: folder }, KEYS);
  const answers: string[] = [];
  const heard = async (answer: Promise<Answer>) => {
    answers.push((await answer).text);
    return answer;
  };
  expect(existsSync(join(folder, 'secrets.key'))).toBe(false);
  await host.post('/v1/workflows', PROBE);
  expect(await heard(put(host, 'openai', CANARY))).toMatchObject({
    status: 200,
    body: { name: 'openai', updatedAt: expect.stringMatching(/^\d{4}-/) },
  });
  expect(statSync(join(folder, 'secrets.key')).mode & 0o077).toBe(0);
  const told = await runWith(host, CANARY);
  expect(told).toContain('with [REDACTED:openai]');
  answers.push(told);

  const probed = await heard(host.run('probe'));
  expect(probed.body.variables.memoryReadback.content).toContain('[REDACTED:openai]');
  const list = await heard(host.get('/v1/secrets'));
  expect(list.body).toEqual({ secrets: [{ name: 'openai', updatedAt: expect.any(String) }] });
  answers.push((await host.get('/metrics')).text, (await host.get('/v1/openapi.json')).text);
  expect(traces(bytesBelow(folder), [CANARY])).toEqual([]);
  await host.stop();

  host = await startTestHost({ dataFolder: folder });
  const before = readFileSync(join(folder, 'secrets.key'), 'utf8');
  expect(await runWith(host, CANARY)).toContain('with [REDACTED:openai]');
  const rotated = await heard(host.post('/v1/host/secrets:rotate', {}));
  expect(rotated).toMatchObject({ status: 200, body: { secrets: 1, unreadable: 0 } });
  const keys = JSON.parse(readFileSync(join(folder, 'secrets.key'), 'utf8'));
  expect(Object.keys(keys.keys)).toEqual([rotated.body.keyId]);
  expect(before).not.toContain(rotated.body.keyId);
  await host.stop();

  host = await startTestHost({ dataFolder: folder });
  expect((await host.run('probe')).body.variables.memoryReadback.content).toContain('[REDACTED:openai]');
  answers.push(await runWith(host, CANARY));
  expect(traces(answers.join('\n'), [CANARY])).toEqual([]);
  expect(traces(bytesBelow(folder), [CANARY])).toEqual([]);
  await host.stop();
});

it('is used and redacted for its own tenant only', async () => {
  const host = await sharedHost({}, KEYS);
  onTestFinished(() => host.stop());
  await put(host, 'openai', CANARY);
  expect((await host.get('/v1/secrets', GLOBEX)).body).toEqual({ secrets: [] });
  expect(await remove(host, 'openai', GLOBEX)).toMatchObject({ status: 404 });
  const sending = { ...GLOBEX, headers: { prefer: 'wait=20' } };
  const theirs = await host.post('/v1/runs', { workflowId: 'quick', inputs: { note: CANARY } }, sending);
  expect(theirs.body.variables).toEqual({ note: CANARY });
  expect((await put(host, 'openai', NEXT, GLOBEX)).status).toBe(200);
  expect(await runWith(host, `${CANARY} ${NEXT}`)).toContain(`with [REDACTED:openai] ${NEXT}`);
});

it('stays redacted after it was replaced or deleted, and a deleted one cannot be used', async () => {
  const host = await sharedHost();
  onTestFinished(() => host.stop());
  await host.post('/v1/workflows', PROBE);
  await put(host, 'openai', CANARY);
  await put(host, 'openai', NEXT);
  expect(await runWith(host, `${CANARY} ${NEXT}`)).toContain('with [REDACTED:openai] [REDACTED:openai]');
  expect(await remove(host, 'openai')).toMatchObject({ status: 204 });
  expect(await remove(host, 'openai')).toMatchObject({ status: 404 });
  expect((await host.get('/v1/secrets')).body).toEqual({ secrets: [] });
  expect(await runWith(host, `${CANARY} ${NEXT}`)).toContain('with [REDACTED:openai] [REDACTED:openai]');
  expect((await host.run('probe')).text).not.toContain('[REDACTED:openai]');
});

it('is known to the thread that takes the place of a lost one', async () => {
  let current: Worker | undefined;
  const host = await startTestHost({}, [], {
    launch(settings) {
      current = launchEngineThread(settings);
      return current;
    },
  });
  onTestFinished(() => host.stop());
  await put(host, 'openai', CANARY);
  await current?.terminate();
  expect(await runWith(host, CANARY)).toContain('with [REDACTED:openai]');
  expect((await put(host, 'openai', NEXT)).status).toBe(200);
  expect(await runWith(host, NEXT)).toContain('with [REDACTED:openai]');
});

describe('a secret that cannot be kept', () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await sharedHost();
  });
  afterAll(() => host.stop());

  it.each<[string, string, unknown, RegExp]>([
    ['a short value', 'key', 'sk-12-c', /value/],
    ['a long value', 'key', 'c'.repeat(4097), /value/],
    ['a number', 'key', '1234567890', /is a number/],
    ['a word of the log', 'key', 'variables', /a word that the host itself writes/],
    ['a value that its name shows', 'my-secret-value', 'secret-value', /part of its own name/],
    ['white space at the end', 'key', 'sk-secret-value\n', /white space/],
    ['a value that is no text', 'key', { deep: 'sk-secret-value' }, /value/],
    ['a name with a space', 'a%20b', 'sk-secret-value', /name/],
    ['a name that begins with a dot', '.key', 'sk-secret-value', /name/],
  ])('refuses %s, and does not repeat the value', async (_what, name, value, complaint) => {
    const answer = await put(host, name, value);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(answer.text).toMatch(complaint);
    expect(answer.text).not.toContain('sk-secret-value');
    expect((await host.get('/v1/secrets')).body).toEqual({ secrets: [] });
  });

  it('refuses a value that is part of the name of another secret', async () => {
    await put(host, 'abcdefghij', CANARY);
    expect(await put(host, 'key', 'bcdefghi')).toMatchObject({ status: 400 });
    await remove(host, 'abcdefghij');
  });

  it('refuses a name that holds the value of a secret', async () => {
    await put(host, 'key', NEXT);
    const answer = await put(host, `x-${NEXT}`, 'another-value');
    expect(answer).toMatchObject({ status: 400, body: { details: { field: 'name' } } });
    expect(traces(answer.text, [NEXT])).toEqual([]);
    await remove(host, 'key');
  });

  it('refuses a body that is too large, or no JSON, without repeating it', async () => {
    const large = await host.send('PUT', '/v1/secrets/key', undefined, {
      raw: `{"value":"${CANARY.repeat(9999)}"}`,
    });
    expect(large).toMatchObject({ status: 413, body: { error: 'payload_too_large' } });
    const broken = await host.send('PUT', '/v1/secrets/key', undefined, { raw: `{"value": ${NEXT}` });
    expect(broken).toMatchObject({ status: 400, body: { error: 'invalid_json' } });
    expect(traces(large.text + broken.text, [CANARY, NEXT])).toEqual([]);
  });
});

it('keeps a bounded number of secrets for each tenant', async () => {
  const host = await sharedHost({}, KEYS);
  onTestFinished(() => host.stop());
  for (let i = 0; i < 64; i += 1)
    expect((await put(host, `key-${i}`, `sk-value-${i}-of-64`)).status).toBe(200);
  expect(await put(host, 'one-more', CANARY)).toMatchObject({
    status: 409,
    body: { error: 'secret_limit_reached', details: { maxSecrets: 64 } },
  });
  expect((await put(host, 'key-0', NEXT)).status).toBe(200);
  expect((await put(host, 'key', CANARY, GLOBEX)).status).toBe(200);
  await remove(host, 'key-1');
  expect((await put(host, 'one-more', CANARY)).status).toBe(200);
});

it('shows a secret whose key is gone as unreadable, until it is set again', async () => {
  const folder = emptyFolder();
  let host = await startTestHost({ dataFolder: folder });
  await put(host, 'openai', CANARY);
  await host.stop();
  rmSync(join(folder, 'secrets.key'));
  host = await startTestHost({ dataFolder: folder });
  expect((await host.get('/v1/secrets')).body.secrets).toMatchObject([{ name: 'openai', unreadable: true }]);
  expect((await host.post('/v1/host/secrets:rotate', {})).body).toMatchObject({ secrets: 0, unreadable: 1 });
  expect((await put(host, 'openai', CANARY)).body).not.toHaveProperty('unreadable');
  expect((await host.get('/v1/secrets')).body.secrets).toEqual([
    { name: 'openai', updatedAt: expect.any(String) },
  ]);
  await host.stop();
});

it('does not start with damaged keys of secrets', async () => {
  const folder = emptyFolder();
  const host = await startTestHost({ dataFolder: folder });
  await host.stop();
  writeFileSync(join(folder, 'secrets.key'), 'damaged');
  await expect(startTestHost({ dataFolder: folder })).rejects.toThrow(/secrets\.key does not hold the keys/);
});

it('does not use a stored secret that was copied to another tenant', async () => {
  const folder = emptyFolder();
  let host = await startTestHost({ dataFolder: folder }, KEYS);
  await put(host, 'openai', CANARY);
  await host.stop();
  const database = new BetterSqlite3(join(folder, 'baton.db'));
  database.exec("INSERT INTO secrets SELECT 'globex', name, jwe, updated_at FROM secrets");
  database.close();
  host = await startTestHost({ dataFolder: folder });
  expect((await host.get('/v1/secrets', GLOBEX)).body.secrets).toMatchObject([{ unreadable: true }]);
  await host.stop();
});
