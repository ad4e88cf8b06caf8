import { newSigningKey, signingKey } from '@baton/engine';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { guardRoutes } from '../auth/guard.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { discoveryRoutes } from './routes.ts';

/** A host whose store answers when the test lets it, with the workflows that it had when it was asked. */
function discovering() {
  const stored = ['conformance-one'];
  let revision = 0;
  const asked: (() => void)[] = [];
  const host = {
    settings: { ...DEFAULT_SETTINGS, testSeams: true, dataFolder: '', apiKey: '' },
    extension: {
      isOn: () => true,
      revision: () => 0,
      described: async (document: object, reads: { workflows(): Promise<readonly { id: string }[]> }) => ({
        ...document,
        fixtures: (await reads.workflows()).map(({ id }) => id),
      }),
    },
    auditKey: signingKey(newSigningKey(), 'a test'),
    shelf: { revision: () => revision },
    models: { health: () => ({ providers: [] }) },
    reads: {
      workflows: () => {
        const found = stored.map((id) => ({ id }));
        return new Promise((resolve) => asked.push(() => resolve(found)));
      },
    },
  };
  const app = fastify();
  onTestFinished(() => app.close());
  guardRoutes(app, undefined as never, undefined as never);
  discoveryRoutes(app, host as never);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ask: async () => {
      const answer = app.inject('/.well-known/openwop').then(({ body }) => JSON.parse(body).fixtures);
      for (let turns = 0; turns < 5; turns += 1) await turn();
      return { answer };
    },
    register(id: string) {
      stored.push(id);
      revision += 1;
    },
    asked,
    answerAll: () => {
      for (const answer of asked.splice(0)) answer();
    },
  };
}

it('writes the document again when a workflow was registered while it was written', async () => {
  const { ask, register, answerAll } = discovering();
  const first = await ask();
  register('conformance-two');
  answerAll();
  expect(await first.answer).toEqual(['conformance-one']);
  const second = await ask();
  answerAll();
  expect(await second.answer).toEqual(['conformance-one', 'conformance-two']);
});

it('gives no one the document of an earlier version while the new one is written', async () => {
  const { ask, register, asked, answerAll } = discovering();
  const first = await ask();
  answerAll();
  await first.answer;
  const same = await ask();
  expect(await same.answer).toEqual(['conformance-one']);
  expect(asked).toEqual([]);
  register('conformance-two');
  const [one, other] = [await ask(), await ask()];
  answerAll();
  expect(await one.answer).toEqual(['conformance-one', 'conformance-two']);
  expect(await other.answer).toEqual(['conformance-one', 'conformance-two']);
});
