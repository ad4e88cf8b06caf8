import { describe, expect, it } from 'vitest';
import { faultOf, faultOfStatus } from './peer-fault.ts';

describe('the answer of a peer that is busy', () => {
  it.each([
    ['7', 7000],
    ['999999999', 3_600_000],
    ['-5', 0],
    ['Infinity', 0],
    ['soon', 0],
  ])('with "retry-after: %s" makes this host wait for %i ms', (retryAfter, retryAfterMs) => {
    const fault = faultOfStatus(new Response('', { status: 429, headers: { 'retry-after': retryAfter } }));
    expect(fault).toMatchObject({ code: 'peer_unreachable', retryable: true, refused: true, retryAfterMs });
  });
});

it.each([
  [200, undefined, undefined],
  [400, undefined, undefined],
  [401, 'peer_unauthorized', false],
  [403, 'peer_unauthorized', false],
  [404, undefined, undefined],
  [418, 'peer_unreachable', false],
  [500, 'peer_unreachable', true],
])('the status %i of a peer is a fault %s, retryable: %s', (status, code, retryable) => {
  const fault = faultOfStatus(new Response('', { status }));
  expect([fault?.code, fault?.retryable]).toEqual([code, retryable]);
});

it('repeats no more than the beginning of an error of a peer', () => {
  const told = Object.assign(new Error('x'.repeat(10_000)), { reason: 'INVALID_PARAMS' });
  const fault = faultOf(told);
  expect(fault).toMatchObject({ code: 'peer_rejected', refused: true });
  expect(fault.message).toHaveLength('The other host did not accept the request: '.length + 500);
});
