import { modelCalls } from '@baton/agents';
import { openVault } from '@baton/engine';
import type { Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import {
  boss,
  hand,
  look,
  node,
  remember,
  TERMINATE,
  worker,
  workflow,
} from '../../packages/engine/src/testkit/workflows.ts';
import { createMockProvider } from '../../packages/server/src/models/mock.ts';
import { bundleOf, importInto } from './bundling.ts';
import { answer, child, effect, expectSameFrom, gate, line, logOf, replay, start } from './forking.ts';
import { type Bench, type BenchOptions, startTestEngine } from './test-engine.ts';

/** Replays on another host, which has other workflows, other keys and other secrets. */

async function elsewhere(top: Bench, runId: string, options: BenchOptions = {}) {
  const other = await startTestEngine(options);
  return { other, source: await importInto(other, await bundleOf(top, runId)) };
}

const key = (letter: number) => openVault(new Map(), new Uint8Array(32).fill(letter));
const asking = (vault: number, mock: ReturnType<typeof createMockProvider>): BenchOptions => ({
  vault: key(vault),
  perform: modelCalls({ provider: () => mock }),
});
const from = (variableName: string) => ({ type: 'variable', variableName });
const SENSITIVE = [
  { name: 'card', type: 'string', sensitive: true },
  { name: 'copy', type: 'string', sensitive: true },
  { name: 'open', type: 'string' },
];

describe('a replay of a run that was imported', () => {
  it('refuses a worker whose definition never came along', async () => {
    const top = await startTestEngine();
    const variables = [{ name: 'topic', type: 'string', required: true }];
    await top.register(
      boss([hand('picky', 'good'), TERMINATE]),
      workflow('picky', [node('work', 'core.noop')], { variables }),
      worker('good'),
    );
    const runId = await start(top, 'boss');
    expect(JSON.stringify(await top.events(runId))).toContain('input_missing');
    const { other, source } = await elsewhere(top, runId);
    await expectSameFrom(other, source);
  });

  it('keeps the sealed values of its source, and what follows from them', async () => {
    const outputs = { receipt: 'paid', card: 'card-4111-1111-1111' };
    const top = await startTestEngine({ vault: key(1), perform: async () => ({ kind: 'done', outputs }) });
    const attested = { settings: { outputAttestation: { checksum: true } } };
    await top.register(
      line(
        'pays',
        [
          node('set', 'vendor.baton.set', { assign: { copy: '"card-" + "4111"', open: 'variables.copy' } }),
          node('same', 'vendor.baton.set', { assign: { copy: '"card-" + "4111"' } }),
          { ...effect('pay'), inputs: { card: from('copy') }, outputSensitivity: { receipt: true } },
          { ...gate('ask', { actions: ['accept', 'edit-accept'] }), inputs: { card: from('copy') } },
          { ...remember('keep', { key: 'card' }), inputs: { content: from('copy') } },
          look('look'),
          child(
            'call',
            'child',
            { inputMapping: { card: 'copy' }, outputMapping: { open: 'made' } },
            attested,
          ),
        ],
        { variables: SENSITIVE },
      ),
      line('child', [node('make', 'vendor.baton.set', { assign: { made: '"made-" + "here"' } })], {
        variables: [
          { name: 'card', type: 'string', sensitive: true },
          { name: 'made', type: 'string', sensitive: true },
        ],
      }),
    );
    const runId = await start(top, 'pays', { inputs: { card: 'card-4111-1111-1111' } });
    await answer(top, runId, 'ask');
    expect(await top.status(runId)).toBe('completed');
    const { other, source } = await elsewhere(top, runId, { vault: key(2) });
    await expectSameFrom(other, source);
    const again = await other.crash({ vault: key(3) });
    await expectSameFrom(again, source, [0]);
  });

  it('takes the answer of a model as it was where the question cannot be opened', async () => {
    const mock = createMockProvider();
    const outputSchema = { type: 'object', properties: { valid: { type: 'boolean' } } };
    const value = '[{"role": "user", "content": "Is " + variables.card + " valid?"}]';
    const top = await startTestEngine(asking(1, mock));
    await top.register(
      workflow(
        'asks',
        [
          node(
            'ask',
            'core.ai.structuredOutput',
            { provider: 'mock', model: 'mock-mini', outputSchema },
            {
              inputs: { messages: { type: 'expression', expression: value } },
              outputSensitivity: { data: true },
            },
          ),
        ],
        { variables: SENSITIVE },
      ),
    );
    const runId = await start(top, 'asks', { inputs: { card: 'card-4111-1111-1111' } });
    expect(await top.status(runId)).toBe('completed');
    const { other, source } = await elsewhere(top, runId, asking(2, mock));
    await expectSameFrom(other, source);
    expect(other.performed).toEqual([]);
  });

  it('asks a model again where it can, and keeps the seal on its answer', async () => {
    const mock = createMockProvider();
    const outputSchema = { type: 'object', properties: { valid: { type: 'boolean' } } };
    const messages: Json = [{ role: 'user', content: 'Is it valid?' }];
    const top = await startTestEngine(asking(1, mock));
    await top.register(
      line('asks', [
        node(
          'ask',
          'core.ai.structuredOutput',
          { provider: 'mock', model: 'mock-mini', outputSchema },
          { inputs: { messages: { type: 'static', value: messages } }, outputSensitivity: { data: true } },
        ),
        node('end', 'core.noop'),
      ]),
    );
    const runId = await start(top, 'asks');
    const { other, source } = await elsewhere(top, runId, asking(2, mock));
    const twin = await replay(other, source);
    expect(other.performed).toHaveLength(1);
    expect(await logOf(other, twin, twin, source)).toEqual(await logOf(other, source, twin, source));
  });
});

describe('a replay after a value has become a secret', () => {
  it('does not tell the value, and does not say that it came out otherwise', async () => {
    const value = 'sk-9f2c-4b7a-0d1e';
    const top = await startTestEngine();
    await top.register(
      line('tells', [
        node('set', 'vendor.baton.set', { assign: { told: '"It is " + inputs.word' } }),
        { ...gate('ask'), inputs: { word: from('told') } },
        remember('keep', { key: 'k', content: 'x' }),
      ]),
    );
    const source = await start(top, 'tells', { inputs: { word: value } });
    await answer(top, source, 'ask', { action: 'accept', comment: `as ${value} says` });
    expect(await top.status(source)).toBe('completed');
    const knowing = await top.crash({ vault: openVault(new Map([['acme', new Map([['word', value]])]])) });
    const twin = await replay(knowing, source);
    expect(JSON.stringify(await knowing.events(twin))).not.toContain(value);
    const told = (await logOf(knowing, source, twin, source)).map((text) =>
      text.replaceAll(value, '[REDACTED:word]'),
    );
    expect(await logOf(knowing, twin, twin, source)).toEqual(told);
  });
});
