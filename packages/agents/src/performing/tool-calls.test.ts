import type { Effect, ToolCall } from '@baton/engine/ports';
import type { Json } from '@baton/protocol';
import { expect, it } from 'vitest';
import { UNHEARD } from '../../../conformance/src/testkit/unheard.ts';
import { toolCalls } from './tool-calls.ts';

const effect = (request: object, more: Partial<Effect> = {}): Effect => ({
  kind: 'tool.call',
  request: {
    tool: 'mcp:files/write',
    input: { a: 1 },
    principal: 'ana',
    repeatable: 'no',
    ...request,
  } as Json,
  key: 'r.1/n/1/1/3',
  tenant: 'acme',
  runId: 'r.1',
  nodeId: 'n',
  execution: 1,
  attempt: 1,
  step: 3,
  tries: 1,
  ...more,
});

function heard() {
  const calls: ToolCall[] = [];
  const perform = toolCalls(
    {
      async call(call) {
        calls.push(call);
        return { status: 'ok', output: 1 };
      },
    },
    () => 0,
  );
  return { calls, perform: (one: Effect) => perform(one, UNHEARD) };
}

it('gives every call a trace: that of the caller, or one that follows from the root run', async () => {
  const { calls, perform } = heard();
  await perform(effect({}, { trace: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }));
  await perform(effect({}));
  await perform(effect({}, { runId: 'r.2' }));
  const [own, first, second] = calls.map(({ traceparent }) => traceparent);
  expect(own).toMatch(new RegExp(`^00-${'a'.repeat(32)}-[0-9a-f]{16}-01$`));
  expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  expect(second?.slice(0, 35)).toBe(first?.slice(0, 35));
});

it('does not repeat a call that may have happened, unless the tool may be repeated', async () => {
  const { calls, perform } = heard();
  expect(await perform(effect({}, { again: true }))).toEqual({
    kind: 'done',
    outputs: { status: 'unknown' },
  });
  expect(await perform(effect({ repeatable: 'unknown' }, { again: true }))).toHaveProperty(
    'outputs.status',
    'unknown',
  );
  expect(calls).toEqual([]);
  expect(await perform(effect({ repeatable: 'yes' }, { again: true }))).toHaveProperty(
    'outputs.status',
    'ok',
  );
});

it('uses the key of the first call when a person has it repeated', async () => {
  const { calls, perform } = heard();
  await perform(effect({ key: 'r.1/n/1/1/2' }));
  await perform(effect({}));
  expect(calls.map(({ key }) => key)).toEqual(['r.1/n/1/1/2', 'r.1/n/1/1/3']);
});
