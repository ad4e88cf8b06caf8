import { expect, it } from 'vitest';
import { connect } from './connect.ts';
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

it.each([400, 404, 409])(
  'an answer that is refused with %i is not sent again without its question',
  async (status) => {
    const bodies: unknown[] = [];
    const baton = connect({
      url: 'http://host.example',
      key: 'k',
      fetch: async (_url, init) => {
        bodies.push(JSON.parse(String(init?.body)));
        const details = { field: 'interruptId', problem: 'is not a known field' };
        return Response.json({ error: 'validation_error', message: 'No.', details }, { status });
      },
    });
    const place = { runId: 'r', nodeId: 'n', interruptId: 'n:1:1' };
    await expect(baton.answer(place, { action: 'accept' })).rejects.toMatchObject({
      code: 'validation_error',
    });
    expect(bodies).toEqual([{ interruptId: 'n:1:1', resumeValue: { action: 'accept' } }]);
  },
);
