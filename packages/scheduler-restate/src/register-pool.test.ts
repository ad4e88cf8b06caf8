import { expect, it } from 'vitest';
import { registerPool } from './register-pool.ts';

function registering(answers: (number | 'lost')[]) {
  const sent: unknown[] = [];
  const waits: number[] = [];
  const refused: string[] = [];
  let next: (() => void) | undefined;
  const registration = registerPool({
    adminUrl: 'http://restate:9070',
    endpointUrl: 'http://balancer:9080',
    fetch: async (url, init) => {
      sent.push([String(url), init?.body]);
      const status = answers.shift() ?? 201;
      if (status === 'lost') throw new Error('ECONNREFUSED');
      return new Response('because', { status });
    },
    later(ms, callback) {
      waits.push(ms);
      next = callback;
      return () => {
        next = undefined;
      };
    },
    onRefused: (reason) => void refused.push(reason),
  });
  const turns = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ...{ registration, sent, waits, refused, turns },
    async wait() {
      const due = next;
      next = undefined;
      due?.();
      await turns();
    },
  };
}

it('registers the address of the pool', async () => {
  const { sent, waits, turns } = registering([]);
  await turns();
  expect(sent).toEqual([
    ['http://restate:9070/deployments', JSON.stringify({ uri: 'http://balancer:9080', force: true })],
  ]);
  expect(waits).toEqual([]);
});

it('registers again, later and later, until Restate takes it, and tells the reason once', async () => {
  const { sent, waits, refused, turns, wait } = registering(['lost', 500, 500, 201]);
  await turns();
  for (let at = 0; at < 4; at += 1) await wait();
  expect(sent).toHaveLength(4);
  expect(waits).toEqual([500, 1000, 2000]);
  expect(refused).toEqual(['Error: ECONNREFUSED']);
});

it('registers again when Restate has forgotten the pool, once at a time', async () => {
  const { registration, sent, turns } = registering([]);
  registration.again();
  await turns();
  expect(sent).toHaveLength(1);
  registration.again();
  registration.again();
  await turns();
  expect(sent).toHaveLength(2);
});

it('ends with the host', async () => {
  const { registration, sent, turns, wait } = registering(['lost']);
  await turns();
  registration.stop();
  await wait();
  expect(sent).toHaveLength(1);
});
