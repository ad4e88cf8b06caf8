import { openVault } from '@baton/engine';
import { BatonError, type Json } from '@baton/protocol';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { edge, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { bytesBelow, traces } from '../spellings.ts';
import { verifies } from '../verifies.ts';
import { type Bench, CALLER, settled, startTestEngine } from './test-engine.ts';

const SECRET = 'sk-live/9f2c+"4b7a';
const CARD = 'card-4111-1111-1111';
const PIN = 90_817_263_544;
const CLEAR = [SECRET, CARD, String(PIN)];

const vault = () => openVault(new Map([['acme', new Map([['stripe', SECRET]])]]), new Uint8Array(32).fill(3));

const from = (variableName: string) => ({ type: 'variable', variableName });
const expression = (text: string) => ({ type: 'expression', expression: text });

const PAYMENT = workflow(
  'payment',
  [
    node(
      'ask',
      'core.clarificationGate',
      { questions: [{ id: 'card', question: 'Which card?' }] },
      {
        outputSensitivity: { answers: true },
      },
    ),
    {
      ...node('pay', 'core.conformance.side-effect'),
      inputs: {
        card: from('card'),
        pin: from('pin'),
        header: expression('"Card " + variables.card + "!"'),
        answers: { type: 'connection', nodeId: 'ask', outputKey: 'answers' },
        note: from('note'),
      },
      outputSensitivity: { receipt: true },
    },
    { ...node('say', 'core.channelWrite', { channelName: 'talk' }), inputs: { value: from('card') } },
    { ...node('keep', 'vendor.baton.memory.write', { key: 'card' }), inputs: { content: from('card') } },
    {
      ...node('gate', 'core.approvalGate', { actions: ['accept', 'edit-accept'] }),
      inputs: { card: from('card'), note: from('note') },
    },
  ],
  {
    edges: [edge('ask', 'pay'), edge('pay', 'say'), edge('say', 'keep'), edge('keep', 'gate')],
    variables: [
      { name: 'card', type: 'string', sensitive: true },
      { name: 'pin', type: 'number', sensitive: true },
      { name: 'note', type: 'string' },
    ],
    channels: { talk: { reducer: 'append', sensitive: true } },
  },
);

const INPUTS: Record<string, Json> = { card: CARD, pin: PIN, note: `use ${SECRET} for it` };

function answer(host: Bench, runId: string, nodeId: string, resumeValue: Json) {
  return host.execute({
    kind: 'resolve-interrupt',
    caller: CALLER,
    runId,
    target: { nodeId },
    resumeValue,
    viaToken: false,
    scopes: [],
  });
}

describe('a run with secrets and sensitive values', () => {
  it('leaves none of them in any byte that is stored, and its effects are given what is sealed', async () => {
    verifies('MEM-16');
    const host = await startTestEngine({
      vault: vault(),
      perform: async ({ request }) => ({
        kind: 'done',
        outputs: {
          receipt: `paid with ${CARD}`,
          echo: (request as { card: string }).card,
          told: `${CARD} it is`,
        },
      }),
    });
    await host.register(PAYMENT);
    const runId = await host.create('payment', INPUTS);
    await answer(host, runId, 'ask', { answers: { card: CARD } });
    await settled();
    expect(host.performed).toMatchObject([
      {
        request: {
          card: CARD,
          pin: PIN,
          header: `Card ${CARD}!`,
          answers: { card: CARD },
          note: 'use [REDACTED:stripe] for it',
        },
      },
    ]);
    expect(await host.status(runId)).toBe('waiting-approval');
    await answer(host, runId, 'gate', { action: 'edit-accept', editedArtifactData: { note: SECRET } });
    await settled();
    expect(await host.status(runId)).toBe('completed');
    expect(host.logged).toEqual([]);
    expect(traces(bytesBelow(host.folder), CLEAR)).toEqual([]);

    const completed = (await host.events(runId)).find(
      (event) => event.type === 'node.completed' && event.nodeId === 'pay',
    );
    const { outputs } = completed!.payload as { outputs: Record<string, string> };
    // What came back whole is the token it was; in other words it is taken out.
    expect(outputs.echo).toMatch(/^sealed:v1:card:/);
    expect(outputs.told).toBe('[REDACTED] it is');
    expect(outputs.receipt).toMatch(/^sealed:v1:receipt:/);
  });

  it('goes on after a crash, with the same key', async () => {
    const before = await startTestEngine({
      vault: vault(),
      perform: () => new Promise<never>(() => undefined),
    });
    await before.register(PAYMENT);
    const runId = await before.create('payment', INPUTS);
    await answer(before, runId, 'ask', { answers: { card: CARD } });
    await settled();
    const after = await before.crash({
      vault: vault(),
      perform: async () => ({ kind: 'done', outputs: {} }),
    });
    expect(after.performed).toMatchObject([{ request: { card: CARD, pin: PIN } }]);
    expect(await after.status(runId)).toBe('waiting-approval');
    expect(traces(bytesBelow(after.folder), CLEAR)).toEqual([]);
  });

  it('passes a token on as it is when it cannot be opened', async () => {
    const host = await startTestEngine({ vault: vault() });
    await host.register(PAYMENT);
    const forged = 'sealed:v1:card:AAAUAAAAAAAAAAAAAAAAAAAAAAAA';
    const foreign = openVault().seal('acme', 'card', 'x');
    for (const card of [forged, foreign]) {
      const runId = await host.create('payment', { ...INPUTS, card });
      await answer(host, runId, 'ask', { answers: { card: 'c' } });
      await settled();
      expect(host.performed.at(-1)).toMatchObject({ request: { card } });
    }
  });

  it('hides what an effect repeats when it fails', async () => {
    const host = await startTestEngine({
      vault: vault(),
      perform: async () => ({
        kind: 'failed',
        error: {
          code: 'declined',
          message: `POST /pay?card=${encodeURIComponent(CARD)} refused ${SECRET}`,
          details: { tried: CARD, pin: PIN },
        },
      }),
    });
    await host.register(PAYMENT);
    const runId = await host.create('payment', INPUTS);
    await answer(host, runId, 'ask', { answers: { card: CARD } });
    await settled();
    expect(await host.status(runId)).toBe('failed');
    expect(traces(bytesBelow(host.folder), CLEAR)).toEqual([]);
    expect((await host.events(runId)).at(-1)).toMatchObject({
      payload: {
        error: { code: 'declined', message: 'POST /pay?card=[REDACTED] refused [REDACTED:stripe]' },
      },
    });
  });

  it('keeps them out of an outcome that comes too late', async () => {
    let finish: (outputs: Record<string, Json>) => void = () => undefined;
    const host = await startTestEngine({
      vault: vault(),
      perform: () =>
        new Promise((resolve) => {
          finish = (outputs) => resolve({ kind: 'done', outputs });
        }),
    });
    await host.register(PAYMENT);
    const runId = await host.create('payment', INPUTS);
    await answer(host, runId, 'ask', { answers: { card: CARD } });
    await settled();
    await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
    finish({ receipt: 'a-receipt-of-its-own', note: SECRET });
    await settled();
    const database = new Database(`${host.folder}/baton.db`, { readonly: true });
    const late = database.prepare('SELECT outcome FROM late_outcomes').pluck().get();
    database.close();
    expect(JSON.parse(String(late))).toMatchObject({
      outputs: { receipt: expect.stringMatching(/^sealed:v1:receipt:/), note: '[REDACTED:stripe]' },
    });
    expect(traces(bytesBelow(host.folder), [...CLEAR, 'a-receipt-of-its-own'])).toEqual([]);
  });
});

describe('refusals', () => {
  it('do not repeat a secret', async () => {
    const host = await startTestEngine({ vault: vault() });
    const reply = await host.execute({
      kind: 'create-run',
      caller: CALLER,
      body: { workflowId: SECRET },
    });
    expect(reply).toMatchObject({
      ok: false,
      error: { message: 'No workflow "[REDACTED:stripe]" is registered.' },
    });
  });

  it('meet a workflow that holds a secret of its tenant, and no other', async () => {
    const host = await startTestEngine({ vault: vault() });
    const definition = workflow('leaky', [node('a', 'core.fail', { message: `told: ${SECRET}` })]) as never;
    const register = (tenant: string) =>
      host.execute({ kind: 'register-workflow', caller: { ...CALLER, tenant }, definition, shared: false });
    expect(await register('acme')).toMatchObject({
      ok: false,
      error: new BatonError(
        'validation_error',
        'workflow: holds the value of a secret; write its id instead',
      ).body(),
    });
    expect(await register('globex')).toMatchObject({ ok: true });
  });
});
