import { type JsonObject, VERDICTS } from '@baton/protocol';
import { checks } from './checks.ts';
import type { Invocation } from './invocation.ts';

/**
 * The form of the result of an invocation. `undefined`: the result is text. The forms of decisions and verdicts do
 * not depend on the checks of the run, because the host itself acts on them.
 */
export function resultSchema({ working, agent, role, node }: Invocation): JsonObject | undefined {
  if (role === 'supervisor') return decisionSchema(workersOf(node.config));
  const returnSchema = checks(working.run, 'structured-output') ? agent.returnSchema : undefined;
  return returnSchema ?? (role === 'critic' ? VERDICT : undefined);
}

const CONFIDENCE = { type: 'number', minimum: 0, maximum: 1 };

const VERDICT: JsonObject = {
  title: 'verdict',
  type: 'object',
  required: ['verdict'],
  properties: {
    verdict: { type: 'string', enum: [...VERDICTS] },
    confidence: CONFIDENCE,
    feedback: { type: 'string', description: 'What the worker should change. Only with "revise".' },
  },
  additionalProperties: false,
};

/** Some vendors do not understand alternatives in a schema, so it is one object; the kinds are checked afterwards. */
function decisionSchema(workers: readonly Worker[]): JsonObject {
  return {
    title: 'decision',
    type: 'object',
    required: ['kind'],
    properties: {
      kind: { type: 'string', enum: ['next-worker', 'terminate', 'ask-user', 'clarify', 'escalate'] },
      nextWorkerIds: {
        type: 'array',
        description: 'Only with "next-worker".',
        items: { type: 'string', enum: workers.map(({ id }) => id) },
      },
      prompt: { type: 'string', description: 'The question, with "ask-user", "clarify" and "escalate".' },
      reason: { type: 'string', description: 'With "terminate" and "escalate".' },
      confidence: CONFIDENCE,
      successCriteria: {
        type: 'array',
        description: 'Only with "terminate": which criteria are met.',
        items: {
          type: 'object',
          required: ['key', 'met'],
          properties: { key: { type: 'string' }, met: { type: 'boolean' } },
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
  };
}

/** A worker that a live supervisor can choose, as its configuration lists it. */
interface Worker {
  readonly id: string;
  readonly description?: string;
}

export function workersOf(config: JsonObject): readonly Worker[] {
  return Array.isArray(config.workers) ? (config.workers as unknown as Worker[]) : [];
}
