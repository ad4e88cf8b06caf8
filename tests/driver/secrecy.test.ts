import { openVault } from '@baton/engine';
import { BatonError, type Json } from '@baton/protocol';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { edge, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { bytesBelow, traces } from '../spellings.ts';
import { verifies } from '../verifies.ts';
import { answer } from './forking.ts';
import { type BenchOptions, CALLER, creationOf, latch, on, settled, startTestEngine } from './test-engine.ts';

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

/** A host that pays in this way, and a run that has been told the card. */
async function paying(perform: NonNullable<BenchOptions['perform']>) {
  const host = await startTestEngine({ vault: vault(), perform });
  await host.register(PAYMENT);
  const runId = await host.create('payment', INPUTS);
  await answer(host, runId, 'ask', { answers: { card: CARD } });
  return { host, runId };
}

describe('a run with secrets and sensitive values', () => {
  it('leaves none of them in any byte that is stored, and its effects are given what is sealed', async () => {
    verifies('MEM-16');
    const { host, runId } = await paying(async ({ request }) => ({
      kind: 'done',
      outputs: {
        receipt: `paid with ${CARD}`,
        echo: (request as { card: string }).card,
        told: `${CARD} it is`,
      },
    }));
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
    const { host, runId } = await paying(() => new Promise<never>(() => undefined));
    const after = await host.crash({
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
      expect(host.performed.at(-1)).toMatchObject({ request: { card } });
    }
  });

  it('hides what an effect repeats when it fails', async () => {
    const { host, runId } = await paying(async () => ({
      kind: 'failed',
      error: {
        code: 'declined',
        message: `POST /pay?card=${encodeURIComponent(CARD)} refused ${SECRET}`,
        details: { tried: CARD, pin: PIN },
      },
    }));
    expect(await host.status(runId)).toBe('failed');
    expect(traces(bytesBelow(host.folder), CLEAR)).toEqual([]);
    expect((await host.events(runId)).at(-1)).toMatchObject({
      payload: {
        error: { code: 'declined', message: 'POST /pay?card=[REDACTED] refused [REDACTED:stripe]' },
      },
    });
  });

  it('keeps them out of an outcome that comes too late', async () => {
    const { opened, open } = latch();
    const outputs = { receipt: 'a-receipt-of-its-own', note: SECRET };
    const { host, runId } = await paying(() => opened.then(() => ({ kind: 'done', outputs })));
    await host.execute(on('cancel-run', runId));
    open();
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
    expect(await host.execute(creationOf(SECRET))).toMatchObject({
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
