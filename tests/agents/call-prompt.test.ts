import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { replay, start } from '../driver/forking.ts';
import { agentBench, payloads, refused, said } from './bench.ts';

/** A model call for text, as a node of a workflow. */

const asking = (inputs: object) =>
  workflow('w', [
    node(
      'ask',
      'core.ai.callPrompt',
      { provider: 'openai', model: 'gpt', systemPrompt: 'Be short.', maxTokens: 10 },
      { inputs },
    ),
  ]);
const PROMPT = { prompt: { type: 'static', value: 'Why?' } };
const CUT = { result: { kind: 'truncated', stopReason: 'length' } } as const;

describe('a call for text', () => {
  it('gives the text as its output, and a replay asks nobody', async () => {
    const { host, requests } = await agentBench({ models: [said('Because.')] });
    await host.register(asking(PROMPT));
    const runId = await start(host, 'w');
    expect(await payloads(host, runId, 'node.completed')).toMatchObject([{ outputs: { text: 'Because.' } }]);
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    await replay(host, runId);
    expect(requests).toHaveLength(1);
  });

  it('is given more room when it was cut off, and fails in the end', async () => {
    const { host, requests } = await agentBench({ models: [CUT, CUT, CUT] });
    await host.register(asking(PROMPT));
    const runId = await start(host, 'w');
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([10, 20, 40]);
    expect(await payloads(host, runId, 'run.failed')).toMatchObject([
      { error: { code: 'envelope_truncation_unrecoverable' } },
    ]);
  });

  it('fails when the model refuses, and when there is nothing to ask', async () => {
    const { host } = await agentBench({ models: [refused] });
    await host.register(asking(PROMPT));
    const runId = await start(host, 'w');
    expect(await payloads(host, runId, 'run.failed')).toMatchObject([
      { error: { code: 'envelope_refusal' } },
    ]);
    await host.register(asking({}));
    const empty = await start(host, 'w');
    expect(await payloads(host, empty, 'run.failed')).toMatchObject([{ error: { code: 'input_invalid' } }]);
  });
});
