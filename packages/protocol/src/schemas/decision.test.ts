import { describe, expect, it } from 'vitest';
import { problemWith } from '../validate.ts';
import { Decision } from './decision.ts';

const worker = (ids: unknown, more: object = {}) => ({ kind: 'next-worker', nextWorkerIds: ids, ...more });

describe('a decision that may be routed', () => {
  it.each([
    worker(['reader']),
    worker(['reader', 'writer'], { confidence: 0.9 }),
    worker(['w'.repeat(256)]),
    worker(['reader'], { confidence: 0 }),
    worker(['reader'], { confidence: 1 }),
    { kind: 'terminate' },
    { kind: 'terminate', reason: 'done', confidence: 0.5 },
    { kind: 'terminate', successCriteria: [{ key: 'cited', met: false }] },
    { kind: 'ask-user', prompt: 'Which year?' },
    { kind: 'clarify', prompt: 'Which year?' },
    { kind: 'escalate' },
    { kind: 'escalate', prompt: 'Please look', reason: 'unsure' },
  ])('%j', (decision) => {
    expect(problemWith(Decision, decision)).toBeUndefined();
  });
});

// LOOP-15: each malformed decision is refused with the field that is wrong.
describe('a decision that is refused, with the field at fault', () => {
  it.each([
    ['kind', {}],
    ['kind', { kind: 'delegate' }],
    ['kind', { kind: 7 }],
    ['nextWorkerIds', { kind: 'next-worker' }],
    ['nextWorkerIds', worker([])],
    ['nextWorkerIds', worker('reader')],
    ['nextWorkerIds.0', worker([''])],
    ['nextWorkerIds.1', worker(['reader', 'w'.repeat(257)])],
    ['nextWorkerIds.0', worker([{ id: 'reader' }])],
    ['confidence', worker(['reader'], { confidence: -0.1 })],
    ['confidence', worker(['reader'], { confidence: 1.1 })],
    ['confidence', worker(['reader'], { confidence: 'high' })],
    ['because', worker(['reader'], { because: 'it is next' })],
    ['prompt', worker(['reader'], { prompt: 'of another kind' })],
    ['reason', { kind: 'terminate', reason: '' }],
    ['confidence', { kind: 'terminate', confidence: 2 }],
    ['successCriteria.0.met', { kind: 'terminate', successCriteria: [{ key: 'cited' }] }],
    ['successCriteria.0.key', { kind: 'terminate', successCriteria: [{ key: '', met: true }] }],
    ['nextWorkerIds', { kind: 'terminate', nextWorkerIds: ['reader'] }],
    ['prompt', { kind: 'ask-user' }],
    ['prompt', { kind: 'ask-user', prompt: '' }],
    ['confidence', { kind: 'ask-user', prompt: 'Which?', confidence: 0.5 }],
    ['prompt', { kind: 'clarify', prompt: '' }],
    ['reason', { kind: 'escalate', reason: '' }],
  ])('%s: %j', (field, decision) => {
    expect(problemWith(Decision, decision)).toMatchObject({ field });
  });

  it.each([null, 'terminate', ['terminate'], 1])('%j is no decision at all', (value) => {
    expect(problemWith(Decision, value)).toMatchObject({ field: '' });
  });
});
