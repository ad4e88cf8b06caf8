import { ToolDescriptor } from '@baton/engine/ports';
import { type Agent, problemWith } from '@baton/protocol';
import { expect, it } from 'vitest';
import { handoffTools } from './prepare.ts';

const agent = (agentId: string): Agent => ({
  agentId,
  persona: 'Expert',
  modelClass: 'general',
  systemPrompt: 'Solve it.',
  promptSource: `prompt:${agentId}`,
  promptLayer: 'agent-intrinsic',
  packName: 'local.desk',
  packVersion: '1.0.0',
});

const toolsFor = (...agentIds: readonly string[]) =>
  handoffTools(
    { modelClass: 'general', handoffs: agentIds.map((agentId) => ({ agentId })) },
    async (agentId) => (agentId.endsWith('absent') ? undefined : agent(agentId)),
  );

it('names a tool after the agent that gets the work', async () => {
  expect(await toolsFor('local.desk.expert', 'local.desk.absent')).toMatchObject([
    { id: 'handoff:local.desk.expert', name: 'handoff_to_local_desk_expert' },
  ]);
});

it('offers an agent that is named twice once', async () => {
  expect(await toolsFor('local.desk.expert', 'local.desk.expert')).toHaveLength(1);
});

it.each([
  [
    'are equal in their first 64 characters',
    [`local.${'a'.repeat(100)}.one`, `local.${'a'.repeat(100)}.two`],
  ],
  ['differ only in dots and underscores', ['local.a_b.c', 'local.a.b_c', 'local.a.b.c']],
  ['are as long as they can be', [`local.desk.${'x'.repeat(245)}`, `local.desk.${'x'.repeat(244)}y`]],
])('gives agents different names, of which a model can be told, when their ids %s', async (_, ids) => {
  const tools = await toolsFor(...ids);
  expect(new Set(tools.map(({ name }) => name)).size).toBe(ids.length);
  for (const tool of tools) expect(problemWith(ToolDescriptor, tool)).toBeUndefined();
});
