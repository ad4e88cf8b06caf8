import type { Effect, EffectOutcome } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { UNHEARD } from '../../../conformance/src/testkit/unheard.ts';
import { effectsUnderWay } from './threaded-engine.ts';

const effect = (key: string): Effect => ({
  key,
  kind: 'test',
  request: {},
  tenant: 't',
  runId: 'r',
  nodeId: 'n',
  execution: 1,
  attempt: 1,
  step: 1,
  tries: 1,
});

it('performs an effect once while it is under way, however often it is asked for', async () => {
  const performed: string[] = [];
  const settle: ((outcome: EffectOutcome) => void)[] = [];
  const effects = effectsUnderWay({
    perform: ({ key }) => {
      performed.push(key);
      return new Promise((resolve) => settle.push(resolve));
    },
  });
  const first = effects.perform(effect('a'), UNHEARD);
  const second = effects.perform(effect('a'), UNHEARD);
  const other = effects.perform(effect('b'), UNHEARD);
  expect(performed).toEqual(['a', 'b']);
  const outcome = { kind: 'done', outputs: { n: 1 } } as const;
  for (const give of settle.splice(0)) give(outcome);
  expect(await Promise.all([first, second, other])).toEqual([outcome, outcome, outcome]);
  void effects.perform(effect('a'), UNHEARD);
  expect(performed).toEqual(['a', 'b', 'a']);
});

it('passes on progress that a call reports before it has begun to wait', async () => {
  const heard: string[] = [];
  const effects = effectsUnderWay({
    perform: async (_, { progress }) => {
      progress('at once');
      return { kind: 'done', outputs: {} };
    },
  });
  await effects.perform(effect('a'), { ...UNHEARD, progress: (chunk) => void heard.push(chunk) });
  expect(heard).toEqual(['at once']);
});

it('aborts a call when the engine that asks for it no longer awaits the outcome', async () => {
  const engine = new AbortController();
  const aborted: boolean[] = [];
  const effects = effectsUnderWay({
    perform: (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted.push(true);
          resolve({ kind: 'done', outputs: {} });
        });
      }),
  });
  const outcome = effects.perform(effect('a'), { ...UNHEARD, signal: engine.signal });
  engine.abort();
  await outcome;
  expect(aborted).toEqual([true]);
});
