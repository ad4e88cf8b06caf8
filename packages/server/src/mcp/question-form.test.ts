import type { Json } from '@baton/protocol';
import { expect, it } from 'vitest';
import type { OpenQuestion } from '../published/open-question.ts';
import { formFor } from './question-form.ts';

const open = (kind: OpenQuestion['kind'], data: Json): OpenQuestion => ({
  runId: 'r',
  interruptId: 'i',
  nodeId: 'n',
  kind,
  data,
});

it('offers the decisions that need no more than a comment', () => {
  const form = formFor(open('approval', { title: 'Ship it?', actions: ['accept', 'edit-accept', 'ask'] }));
  expect(form?.message).toBe('Ship it?');
  expect(form?.requestedSchema.properties.action).toMatchObject({ enum: ['accept'] });
  expect(formFor(open('approval', { actions: ['edit-accept'] }))).toBeUndefined();
  const unsure = formFor(open('low-confidence', { threshold: 0.7, observed: 0.2 }));
  expect(unsure?.requestedSchema.properties.action).toMatchObject({ enum: ['accept', 'reject'] });
});

it('has a field for each question whose answer is a text, a number or a choice', () => {
  const ask = (schema?: Json): Json => ({
    questions: [{ id: 'q', question: 'How?', ...(schema ? { schema } : {}) }],
  });
  const field = (schema?: Json) => formFor(open('clarification', ask(schema)))?.requestedSchema.properties.q;
  expect(field()).toEqual({ type: 'string', title: 'How?' });
  expect(field({ type: 'integer', minimum: 1 })).toEqual({ type: 'integer', title: 'How?' });
  expect(field({ type: 'string', enum: ['a', 'b'] })).toEqual({
    type: 'string',
    title: 'How?',
    enum: ['a', 'b'],
  });
  expect(field({ type: 'array' })).toBeUndefined();
  expect(formFor(open('clarification', { questions: [] }))).toBeUndefined();
});

it('cannot express what comes from the outside', () => {
  expect(formFor(open('external-event', { eventType: 'e', correlation: {} }))).toBeUndefined();
  expect(formFor(open('custom', { customKind: 'c' }))).toBeUndefined();
});
