import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { boundOpenAnswers } from './open-answers.ts';

const LARGE = 'x'.repeat(100_000);

/** An app whose answers are never taken: `close` of a response comes when the test says so. */
async function withUntakenAnswers() {
  let made = 0;
  const taking: (() => void)[] = [];
  const app = fastify();
  app.decorateRequest('identity', null);
  app.addHook('onRequest', (request, reply, done) => {
    Object.assign(request, { identity: { tenant: request.headers.tenant } });
    const { raw } = reply;
    // An answer counts as taken only when the test says so.
    const once = raw.once.bind(raw);
    raw.once = ((event: string, listener: () => void) => {
      if (event !== 'close') return once(event, listener);
      taking.push(listener);
      return raw;
    }) as typeof raw.once;
    done();
  });
  boundOpenAnswers(app, 250_000);
  app.get('/large', async () => {
    made += 1;
    return LARGE;
  });
  await app.ready();
  const read = async (tenant: string) =>
    (await app.inject({ url: '/large', headers: { tenant } })).statusCode;
  const take = () => {
    for (const listener of taking.splice(0)) listener();
  };
  return { read, made: () => made, take };
}

it('refuses what a tenant reads while it takes nothing, and makes no more of it', async () => {
  const { read, made } = await withUntakenAnswers();
  expect([await read('a'), await read('a'), await read('a')]).toEqual([200, 200, 429]);
  expect(made()).toBe(3);
  expect([await read('a'), await read('a')]).toEqual([429, 429]);
  expect(made()).toBe(3);
});

it('answers other tenants meanwhile, and the tenant again once it has taken its answers', async () => {
  const { read, take } = await withUntakenAnswers();
  for (let n = 0; n < 4; n += 1) await read('a');
  expect(await read('b')).toBe(200);
  take();
  expect(await read('a')).toBe(200);
});
