import { chmodSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { API_KEY, call, startProcess } from '../crash/host-process.ts';
import { emptyFolder } from '../empty-folder.ts';
import { bytesBelow, traces } from '../spellings.ts';
import { ALL_SCOPES, type Answer, startTestHost, type TestHost } from './host.ts';

const SECRET = 'tok_live/9f2c+"4b7a é';
const OTHERS = 'the-value-of-globex';
const CARD = 'card-4111-1111-1111';
const FORBIDDEN = [SECRET, CARD];

const CHECKOUT = {
  id: 'checkout',
  variables: [
    { name: 'card', type: 'string', sensitive: true },
    { name: 'note', type: 'string' },
  ],
  channels: { talk: { reducer: 'append', sensitive: true } },
  nodes: [
    {
      id: 'keep',
      typeId: 'vendor.baton.memory.write',
      inputs: { key: variable('note'), content: variable('card') },
    },
    {
      id: 'say',
      typeId: 'core.channelWrite',
      config: { channelName: 'talk' },
      inputs: { value: variable('card') },
    },
    {
      id: 'gate',
      typeId: 'core.approvalGate',
      config: { title: 'Pay?', actions: ['accept', 'edit-accept'] },
      inputs: { card: variable('card'), note: variable('note') },
      outputSensitivity: { artifact: true },
    },
  ],
  edges: [
    { sourceNodeId: 'keep', targetNodeId: 'say' },
    { sourceNodeId: 'say', targetNodeId: 'gate' },
  ],
};

const PROBE = {
  id: 'probe',
  nodes: [
    {
      id: 'probe',
      typeId: 'core.identity',
      config: { memoryAction: 'redaction-probe', byokSecretId: 'conformance-test-secret' },
    },
  ],
};

function variable(variableName: string) {
  return { type: 'variable', variableName };
}

function secretsFile(folder: string): string {
  const file = join(folder, 'secrets.json');
  writeFileSync(file, JSON.stringify({ default: { stripe: SECRET }, globex: { other: OTHERS } }));
  chmodSync(file, 0o600);
  return file;
}

describe('a host with secrets', () => {
  const folder = emptyFolder();
  let host: TestHost;
  const answers: Answer[] = [];
  beforeAll(async () => {
    host = await startTestHost({ secretsFile: secretsFile(folder), testSeams: true }, [
      { token: 'globex-key-for-tests', tenant: 'globex', scopes: ALL_SCOPES },
    ]);
    for (const definition of [CHECKOUT, PROBE]) await host.post('/v1/workflows', definition);
  });
  afterAll(() => host.stop());
  const heard = async (answer: Promise<Answer>): Promise<Answer> => {
    answers.push(await answer);
    return answer;
  };

  it('MEM-16 shows the id of a secret where a run remembered its value', async () => {
    const { body, text } = await heard(host.run('probe'));
    expect(body.variables.memoryReadback.content).toContain('[REDACTED:conformance-test-secret]');
    expect(text).not.toContain('baton-canary');
  });

  it('tells nobody, in no answer and in no stored byte, what is secret or sensitive', async () => {
    const inputs = { card: CARD, note: `with ${SECRET}`, [SECRET]: [SECRET] };
    const created = await heard(host.run('checkout', { inputs, tags: [SECRET], metadata: { x: SECRET } }));
    expect(created.body).toMatchObject({
      status: 'waiting-approval',
      variables: {
        card: '[REDACTED]',
        note: 'with [REDACTED:stripe]',
        '[REDACTED:stripe]': ['[REDACTED:stripe]'],
        talk: [{ value: '[REDACTED]' }],
      },
      interrupt: { data: { artifactData: { card: '[REDACTED]' } } },
    });
    const { runId, interrupt } = created.body;
    const paths = [
      `/v1/runs/${runId}`,
      `/v1/runs/${runId}/events`,
      `/v1/runs/${runId}/events/poll`,
      `/v1/runs/${runId}/artifacts/${interrupt.interruptId}`,
      `/v1/interrupts/${interrupt.interruptToken}`,
      '/v1/interrupts',
      '/v1/runs',
      `/v1/host/sample/test/runs/${runId}/events`,
    ];
    for (const path of paths) {
      const answer = await heard(host.get(path));
      expect(answer.status).toBe(200);
      // Tokens are what the log holds; whoever looks at anything else sees that something is hidden.
      if (!path.includes('/events')) expect(answer.text).not.toContain('sealed:v1:');
    }
    await heard(
      host.post(`/v1/runs/${runId}/interrupts/gate`, {
        resumeValue: {
          action: 'edit-accept',
          editedArtifactData: { card: '[REDACTED]', more: CARD },
          comment: SECRET,
        },
      }),
    );
    for (const mode of ['updates', 'values', 'debug']) {
      await heard(
        host.get(`/v1/runs/${runId}/events?streamMode=${mode}`, { headers: { accept: 'text/event-stream' } }),
      );
    }
    expect((await host.get(`/v1/runs/${runId}`)).body.status).toBe('completed');
    expect(traces(answers.map((answer) => answer.text).join('\n'), FORBIDDEN)).toEqual([]);
    expect(traces(bytesBelow(host.folder), [...FORBIDDEN, 'baton-canary-5d1e0c7b9a3f4826'])).toEqual([]);
  });

  /** `canary.test.ts` has every input of every route. */
  it('does not repeat a secret in a complaint about an address that leads nowhere', async () => {
    for (const folder of ['/v1/nowhere', '/nowhere']) {
      const { status, text } = await host.get(`${folder}/${encodeURIComponent(SECRET)}`);
      expect([status, traces(text, [SECRET])]).toEqual([404, []]);
    }
  });

  it("redacts for each tenant its own secrets, and never tells another's by taking them out", async () => {
    const sending = { key: 'globex-key-for-tests', headers: { prefer: 'wait=20' } };
    const body = { workflowId: 'quick', inputs: { mine: OTHERS, theirs: SECRET } };
    const { variables } = (await host.post('/v1/runs', body, sending)).body;
    expect(variables).toEqual({ mine: '[REDACTED:other]', theirs: SECRET });
  });

  it('checks the type of a sensitive variable before it seals it', async () => {
    expect(await host.post('/v1/runs', { workflowId: 'checkout', inputs: { card: 4111 } })).toMatchObject({
      status: 400,
      body: { message: 'run: inputs.card must be of type string' },
    });
  });

  it('keeps the sealing key to itself', () => {
    expect(statSync(join(host.folder, 'sealing.key')).mode & 0o077).toBe(0);
  });
});

it('keeps no sealing key with the data when it was given one', async () => {
  const given = await startTestHost({ sealingKey: '0f'.repeat(32) });
  onTestFinished(() => given.stop());
  expect(readdirSync(given.folder)).not.toContain('sealing.key');
});

it('does not start with a secrets file that others can read', async () => {
  const folder = emptyFolder();
  const file = secretsFile(folder);
  chmodSync(file, 0o644);
  await expect(startTestHost({ secretsFile: file })).rejects.toThrow(/can be read by other users/);
});

it('writes nothing secret into the log of its process, and goes on after it was killed', async () => {
  const folder = emptyFolder();
  const data = join(folder, 'data');
  const workflows = mkdtempSync(join(folder, 'workflows-'));
  writeFileSync(join(workflows, 'checkout.json'), JSON.stringify(CHECKOUT));
  const env = { BATON_SECRETS_FILE: secretsFile(folder), BATON_LOG_LEVEL: 'trace' };

  let output = '';
  const start = async () => {
    const host = await startProcess(data, workflows, env);
    for (const stream of [host.process.stdout, host.process.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    return host;
  };
  const first = await start();
  const inputs = { card: CARD, note: SECRET };
  const created = await call(first.url, 'POST', '/v1/runs', { workflowId: 'checkout', inputs });
  const { runId } = (await created.json()) as { runId: string };
  await call(first.url, 'GET', `/v1/runs/${runId}/events/poll?timeout=5&lastSequence=4`);
  await first.kill('SIGKILL');
  const second = await start();
  const answer = { resumeValue: { action: 'accept' } };
  const accepted = await call(second.url, 'POST', `/v1/runs/${runId}/interrupts/gate`, answer);
  expect(await accepted.json()).toMatchObject({ status: 'completed' });
  await second.kill('SIGTERM');
  expect(output).toContain('"level"');
  expect(traces(output, [...FORBIDDEN, API_KEY])).toEqual([]);
  expect(traces(bytesBelow(data), FORBIDDEN)).toEqual([]);
});
