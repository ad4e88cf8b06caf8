import { performEffects } from '@baton/agents';
import { expect, it } from 'vitest';
import { UNHEARD } from '../testkit/unheard.ts';
import { SEAM_PERFORMERS } from './side-effect.ts';

const effect = (kind: string) => ({
  kind,
  request: null,
  key: 'r/n/1/1',
  tenant: 'acme',
  runId: 'r',
  nodeId: 'n',
  execution: 1,
  attempt: 1,
  step: 1,
  tries: 1,
});

it('performs a side effect for the suite and counts it', async () => {
  const counted: string[] = [];
  const effects = performEffects(SEAM_PERFORMERS, (kind) => void counted.push(kind));
  expect(await effects.perform(effect('conformance.side-effect'), UNHEARD)).toEqual({
    kind: 'done',
    outputs: { performed: true, idempotencyKey: 'r/n/1/1' },
  });
  expect(counted).toEqual(['conformance.side-effect']);
});

it.each(['no.such.kind', 'constructor'])('fails what nobody performs: %s', async (kind) => {
  const outcome = await performEffects(SEAM_PERFORMERS, () => undefined).perform(effect(kind), UNHEARD);
  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'capability_not_provided' } });
});

it('turns a performer that throws into a failure', async () => {
  const effects = performEffects({ broken: () => Promise.reject(new Error('no network')) }, () => undefined);
  expect(await effects.perform(effect('broken'), UNHEARD)).toEqual({
    kind: 'failed',
    error: { code: 'effect_failed', message: 'no network' },
  });
});
