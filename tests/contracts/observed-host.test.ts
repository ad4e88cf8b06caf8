import { CONTRACTS, type RouteContract } from '@baton/protocol';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { referenceFolder } from '../../packages/conformance/src/testkit/official-schemas.ts';
import { type ObservedHost, observedHost } from './observed-host.ts';

interface Told {
  readonly status?: number;
  readonly type?: string;
  readonly body?: unknown;
  readonly replayed?: boolean;
}

/** A host that says what a test wants it to say under the address of a contract. */
async function says(contract: RouteContract, told: Told): Promise<ObservedHost> {
  const observed = observedHost();
  const app = fastify();
  observed.observe(app);
  const { status = 200, type = 'application/json; charset=utf-8', body, replayed = false } = told;
  app.route({
    method: contract.method,
    url: '/there',
    config: { contract } as object,
    handler: (_request, reply) => {
      // As on a host, where headers that never change are set first.
      reply.raw.setHeader('x-content-type-options', 'nosniff');
      if (replayed) reply.header('openwop-idempotent-replay', 'true');
      if (body === undefined) return reply.code(status).send();
      return reply
        .code(status)
        .type(type)
        .send(typeof body === 'string' ? body : JSON.stringify(body));
    },
  });
  await app.inject({ method: contract.method, url: '/there' });
  await app.close();
  return observed;
}

const { readRun, cancelRun, readAuditKey, readEvents, deleteFile, checkReadiness } = CONTRACTS;
const KEY = { keyId: 'k', algorithm: 'Ed25519', publicKey: 'pem' };
const EVENT = {
  eventId: 'r:0',
  runId: 'r',
  sequence: 0,
  timestamp: '2026-01-01T00:00:00.000Z',
  type: 'run.paused',
  payload: {},
};
const frame = (name: string, data: unknown) => `event: ${name}\nid: 0\ndata: ${JSON.stringify(data)}\n\n`;
const stream = (body: string) => ({ type: 'text/event-stream', body });

describe('an answer that its contract declares', () => {
  it.each<[string, RouteContract, Told]>([
    ['a body of the schema', readAuditKey, { body: KEY }],
    [
      'an error of the route',
      cancelRun,
      { status: 409, body: { error: 'run_state_conflict', message: 'm' } },
    ],
    ['no body', deleteFile, { status: 204 }],
    [
      'a status that is an answer and an error',
      checkReadiness,
      { status: 503, body: { status: 'stopping' } },
    ],
    [
      'the error of the same status',
      checkReadiness,
      { status: 503, body: { error: 'overloaded', message: 'm' } },
    ],
    ['a frame for each event', readEvents, stream(frame('run.paused', EVENT))],
    ['a frame for many', readEvents, stream(frame('batch', [EVENT, EVENT]))],
    ['a replayed answer', cancelRun, { body: { runId: 'r', status: 'cancelled' }, replayed: true }],
  ])('is fine: %s', async (_what, contract, told) => {
    expect((await says(contract, told)).problems).toEqual([]);
  });
});

describe('an answer that its contract does not declare', () => {
  it.each<[string, RouteContract, Told, string]>([
    ['a body of another form', readAuditKey, { body: { ...KEY, keyId: 1 } }, 'keyId must be a string'],
    ['a field that is missing', readAuditKey, { body: { keyId: 'k' } }, 'algorithm is required'],
    ['another status', readAuditKey, { status: 202, body: KEY }, 'the status is not declared'],
    ['another redirect', readAuditKey, { status: 304 }, 'the status is not declared'],
    ['another media type', readAuditKey, { type: 'text/plain', body: 'k' }, 'text/plain is not declared'],
    [
      'an error of other routes',
      readRun,
      { status: 409, body: { error: 'run_terminal', message: 'm' } },
      'run_terminal',
    ],
    [
      'an error with another status',
      readRun,
      { status: 400, body: { error: 'not_found', message: 'm' } },
      'another status',
    ],
    ['an error of another form', readRun, { status: 404, body: { code: 'not_found' } }, 'no error envelope'],
    [
      'a frame of another form',
      readEvents,
      stream(frame('run.paused', { ...EVENT, sequence: -1 })),
      'sequence',
    ],
    ['a frame without events', readEvents, stream(frame('batch', [])), 'batch'],
    ['a replayed read', readAuditKey, { body: KEY, replayed: true }, 'the contract knows no key'],
  ])('is a problem: %s', async (_what, contract, told, problem) => {
    const { problems } = await says(contract, told);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });
});

it('holds answers against the schemas of the protocol, when they are at hand', async () => {
  const wrong = { ...EVENT, type: 'memory.written', payload: { colour: 'red' } };
  const observed = await says(readEvents, { body: { events: [wrong] } });
  expect(observed.problems).toEqual([]);
  expect(observed.officialProblems).toHaveLength(referenceFolder === undefined ? 0 : 1);
});

it('says nothing about a route without a contract', async () => {
  const observed = observedHost();
  const app = fastify();
  observed.observe(app);
  app.get('/seam', () => ({ anything: true }));
  await app.inject('/seam');
  await app.close();
  expect([observed.problems, observed.officialProblems]).toEqual([[], []]);
  expect(observed.routes).toMatchObject([{ method: 'GET', url: '/seam', contract: undefined }, {}]);
});
