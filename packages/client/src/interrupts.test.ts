import { expect, it } from 'vitest';
import type { InterruptAnswer } from './interrupts.ts';

it('answers are typed by what they answer', () => {
  const answers: readonly InterruptAnswer[] = [
    { action: 'accept', comment: 'fine' },
    { action: 'edit-accept', editedArtifactData: { text: 'better' } },
    { answers: { q1: 'blue' } },
    { orderId: 'o-1', parcel: { weight: 2 } },
    // @ts-expect-error: there is no such action.
    { action: 'acept' },
    // @ts-expect-error: the answers to a clarification are an object.
    { answers: 'blue' },
    // @ts-expect-error: an answer is JSON.
    { arrived: new Date(0) },
  ];
  expect(answers).toHaveLength(7);
});
