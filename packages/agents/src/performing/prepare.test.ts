import type { Effect } from '@baton/engine/ports';
import type { Json } from '@baton/protocol';
import { expect, it } from 'vitest';
import { preparing } from './prepare.ts';

const CONTEXT = { signal: new AbortController().signal, progress: () => undefined };

/** The message when no model is found for an agent with this model, in a run with this choice. */
async function problemWith(model: string | undefined, ai?: object): Promise<unknown> {
  const perform = preparing({
    agents: () => undefined,
    models: { resolve: () => undefined },
    tools: { surface: async () => ({ tools: [], degraded: [] }) },
  });
  const own = { modelClass: 'general', ...(model !== undefined && { model }) };
  const request = {
    agentId: 'local.desk.clerk',
    asOf: 0,
    own,
    ...(ai && { ai }),
    task: 'x',
  } as unknown as Json;
  const outcome = await perform({ tenant: 'acme', request } as Effect, CONTEXT);
  return outcome.kind === 'done' ? outcome.outputs.problem : undefined;
}

it.each([
  ['nosuch/x', undefined, 'The manifest names the model "nosuch/x", and no provider "nosuch" is connected'],
  [
    'nosuch/x',
    { model: 'y' },
    'The manifest names the model "nosuch/x", and no provider "nosuch" is connected',
  ],
  ['openai/x', { provider: 'nosuch' }, 'configurable.ai names a provider that is not connected'],
  [undefined, { provider: 'nosuch' }, 'configurable.ai names a provider that is not connected'],
  [undefined, undefined, 'No model is set up for the class "general"'],
])('tells who names a model that is not there: %s, %j', async (model, ai, message) => {
  expect(await problemWith(model, ai)).toMatchObject({
    code: 'capability_not_provided',
    message: expect.stringContaining(message),
  });
});
