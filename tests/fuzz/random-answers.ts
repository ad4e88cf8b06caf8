import type { Run } from '@baton/engine';
import type { Json, JsonObject } from '@baton/protocol';
import type { Dice } from './random-choice.ts';

/** Answers to whatever a run asks: mostly ones that fit, and from people who may give them. */

export type Open = Run['interrupts'][string];

interface GivenAnswer {
  readonly principal: string;
  readonly scopes: readonly string[];
  readonly value: JsonObject;
}

const PEOPLE = ['ana', 'bo', 'cy'];

export function answerTo(dice: Dice, { request }: Pick<Open, 'request'>): GivenAnswer {
  const by = { principal: dice.pick(PEOPLE), scopes: dice.chance(0.3) ? ['approvals:override'] : [] };
  switch (request.kind) {
    case 'approval':
      return { ...by, value: approvalAnswer(dice, request.data) };
    case 'low-confidence':
      return { ...by, value: { action: dice.chance(0.7) ? 'accept' : 'reject' } };
    case 'clarification':
      return {
        ...by,
        value: { answers: Object.fromEntries(request.data.questions.map(({ id }) => [id, 3])) },
      };
    case 'external-event':
      return { ...by, value: { ...request.data.correlation, sum: dice.between(1, 9) } };
    case 'custom':
      return {
        ...by,
        value: dice.pick<JsonObject>([{}, { a: 1, text: 'x' }, { answers: { s: 'card-4111-1111' } }]),
      };
  }
}

type Approval = Extract<Open['request'], { kind: 'approval' }>['data'];

function approvalAnswer(dice: Dice, { actions, artifactData, artifactType }: Approval): JsonObject {
  if (dice.chance(0.1)) return { action: 'accept', override: true, reason: 'it is late' };
  const action = dice.pick([...actions, 'accept'] as const);
  switch (action) {
    case 'edit-accept':
      return { action, editedArtifactData: edited(dice, artifactType, artifactData) };
    case 'refine':
      return { action, refineFeedback: { note: 'shorter' } };
    case 'ask':
      return { action, question: 'Why?' };
    default:
      return { action, ...dice.some(0.3, { comment: 'as I see it', reason: 'because' }) };
  }
}

function edited(dice: Dice, artifactType: string, artifact: Json | undefined): Json {
  if (artifactType === 'orchestrator-decision') {
    return dice.pick<Json>([
      { kind: 'terminate', reason: 'enough' },
      { kind: 'next-worker', nextWorkerIds: ['leaf-1'] },
    ]);
  }
  if (artifactType === 'sub-run-outputs') return dice.chance(0.5) ? (artifact ?? {}) : {};
  return dice.pick<Json>([{ shown: 'edited' }, artifact ?? null, 'text']);
}
