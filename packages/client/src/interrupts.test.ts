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

it.each([
  ['of this version is named the question', (_: string) => false, 1],
  ['of an earlier version, which does not know the field, gets the answer alone', isNamed, 2],
])('a host %s', async (_, refuses, requests) => {
  const bodies: string[] = [];
  const baton = connect({
    url: 'http://host.example',
    key: 'k',
    fetch: async (_url, init) => {
      const body = String(init?.body);
      bodies.push(body);
      if (!refuses(body)) return Response.json({ runId: 'r', status: 'running' });
      const details = { field: 'interruptId', problem: 'is not a known field' };
      return Response.json({ error: 'validation_error', message: 'No.', details }, { status: 400 });
    },
  });
  const place = { runId: 'r', nodeId: 'n', interruptId: 'n:1:1' };
  expect(await baton.answer(place, { action: 'accept' })).toEqual({ runId: 'r', status: 'running' });
  expect(bodies).toHaveLength(requests);
  expect(isNamed(bodies[0] ?? '')).toBe(true);
});

function isNamed(body: string): boolean {
  return JSON.parse(body).interruptId === 'n:1:1';
}
