import type { Effect, ModelCall, Models } from '@baton/engine/ports';
import { runError } from '@baton/protocol';
import { expect, it } from 'vitest';
import type { TenantRoom } from './tenant-room.ts';
import { modelsWithinBudgets, toolsWithinBudgets } from './within-budgets.ts';

const error = runError('budget_exhausted');
const FULL: TenantRoom = { refusal: async (tenant) => (tenant === 'acme' ? error : undefined) };
const CONTEXT = { signal: new AbortController().signal, progress: () => undefined };

it('asks no model for a tenant without room, and does not try again', async () => {
  const asked: string[] = [];
  const provider = {
    reexecutable: true,
    ask: async ({ tenant }: ModelCall) => {
      asked.push(tenant);
      return { kind: 'text', text: 'Yes.', stopReason: 'end' } as const;
    },
  };
  const models: Models = { provider: (id) => (id === 'known' ? provider : undefined) };
  const within = modelsWithinBudgets(models, FULL);
  expect(within.provider('unknown')).toBeUndefined();
  const { reexecutable, ask } = within.provider('known') as typeof provider;
  expect(reexecutable).toBe(true);
  expect(await ask({ tenant: 'acme' } as ModelCall)).toEqual({ kind: 'error', error, retryable: false });
  expect(await ask({ tenant: 'other' } as ModelCall)).toMatchObject({ kind: 'text' });
  expect(asked).toEqual(['other']);
});

it('calls no tool for a tenant without room, unless the call may have been made before', async () => {
  const performed: string[] = [];
  const perform = toolsWithinBudgets(async ({ key }) => {
    performed.push(key);
    return { kind: 'done', outputs: {} };
  }, FULL);
  const effect = (key: string, more: Partial<Effect> = {}) =>
    ({ key, tenant: 'acme', request: { of: 1 }, ...more }) as Effect;
  expect(await perform(effect('first'), CONTEXT)).toEqual({ kind: 'failed', error, retryable: false });
  await perform(effect('again', { again: true }), CONTEXT);
  await perform(effect('other', { tenant: 'other' }), CONTEXT);
  expect(performed).toEqual(['again', 'other']);
});

it('makes the calls of one answer together or not at all', async () => {
  let isFull = false;
  const room: TenantRoom = { refusal: async () => (isFull ? error : undefined) };
  const ends: (() => void)[] = [];
  const perform = toolsWithinBudgets(
    () => new Promise((done) => ends.push(() => done({ kind: 'done', outputs: {} }))),
    room,
  );
  const call = (of: number) => perform({ tenant: 'acme', request: { of } } as unknown as Effect, CONTEXT);
  const first = call(1);
  await Promise.resolve();
  isFull = true;
  const second = call(1);
  expect(await call(2)).toMatchObject({ kind: 'failed', error });
  isFull = false;
  // A later call of the refused answer is refused too, although there is room again.
  expect(await call(2)).toMatchObject({ kind: 'failed', error });
  for (const end of ends) end();
  expect([await first, await second]).toEqual([
    { kind: 'done', outputs: {} },
    { kind: 'done', outputs: {} },
  ]);
});
