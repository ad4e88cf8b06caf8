import type { RunEvent } from '@baton/protocol';
import { expect, it } from 'vitest';
import { createHandoffReader } from './gated-handoffs.ts';

const event = (sequence: number, type: string, payload: object) =>
  ({ eventId: `r:${sequence}`, runId: 'r', sequence, type, nodeId: 'ask', payload }) as unknown as RunEvent;

it('does not take the verdict about an agent for one about an earlier handoff of its node', () => {
  const reader = createHandoffReader();
  const verdict = { agentId: 'local.desk.critic', target: 'r:4', verdict: 'pass' };
  [
    event(0, 'node.started', { nodeId: 'ask' }),
    event(1, 'node.dispatched', { childRunId: 'r.1', childWorkflowId: 'agent:local.desk.helper' }),
    event(2, 'node.completed', { nodeId: 'ask' }),
    event(3, 'node.started', { nodeId: 'ask' }),
    event(4, 'agent.decided', { agentId: 'local.desk.writer', decision: 'x' }),
    event(5, 'agent.verified', verdict),
  ].forEach(reader.add);
  expect(reader.handoffs()).toEqual([]);
});
