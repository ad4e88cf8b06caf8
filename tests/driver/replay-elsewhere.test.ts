import { modelCalls } from '@baton/agents';
import { auditRun, openVault } from '@baton/engine';
import type { Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { createMockModel } from '../../packages/conformance/src/seams/mock-model.ts';
import { node, remember, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { bundleOf, openedIn } from '../bundles.ts';
import { answer, child, expectSameFrom, gate, line, logOf, replay, start } from './forking.ts';
import { type Bench, type BenchOptions, CALLER, startTestEngine } from './test-engine.ts';

/** Replays on another host, which has other workflows, other keys and other secrets. */

async function elsewhere(top: Bench, runId: string, options: BenchOptions = {}) {
  return openedIn(await bundleOf(top, runId), options);
}

const key = (letter: number) => openVault(new Map(), new Uint8Array(32).fill(letter));
const asking = (vault: number, mock: ReturnType<typeof createMockModel>): BenchOptions => ({
  vault: key(vault),
  perform: modelCalls({ provider: () => mock }),
});
const from = (variableName: string) => ({ type: 'variable', variableName });
const SENSITIVE = [{ name: 'card', type: 'string', sensitive: true }];

describe('a replay of a run whose bundle was opened', () => {
  it('takes the answer of a model as it was where the question cannot be opened', async () => {
    const mock = createMockModel();
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
    const other = await elsewhere(top, runId, asking(2, mock));
    await expectSameFrom(other, runId);
    expect(other.performed).toEqual([]);
  });

  it('asks a model again where it can, and keeps the seal on its answer', async () => {
    const mock = createMockModel();
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
    const other = await elsewhere(top, runId, asking(2, mock));
    const twin = await replay(other, runId);
    expect(other.performed).toHaveLength(1);
    expect(await logOf(other, twin, twin, runId)).toEqual(await logOf(other, runId, twin, runId));
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

it('A replay does not hide that another value was merged than the one that was attested', async () => {
  const gated = { settings: { outputAttestation: { checksum: true } } };
  const top = await startTestEngine();
  await top.register(
    line('top', [child('call', 'worker', { outputMapping: { got: 'made' } }, gated)]),
    line('worker', [
      child('sub', 'leaf'),
      {
        ...node('set', 'vendor.baton.set', { assign: { made: 'inputs.id' } }),
        inputs: { id: { type: 'connection', nodeId: 'sub', outputKey: 'childRunId' } },
      },
    ]),
    line('leaf', [node('a', 'core.noop')]),
  );
  const twin = await replay(top, await start(top, 'top'));
  const audited = (reads: Bench['reads']) => auditRun(reads, { tenant: CALLER.tenant, runId: twin });
  expect(await audited(top.reads)).toMatchObject({ allMatch: true, attestations: [{ matches: true }] });
  const events: Bench['reads']['events'] = async (...asked) =>
    (await top.reads.events(...asked)).map((text) => text.replace('.1.1"', '.1.2"'));
  expect(await audited({ ...top.reads, events })).toMatchObject({ allMatch: false });
});
