import type { Json } from '@baton/protocol';
import { expect, it } from 'vitest';
import { UNHEARD } from '../../../../conformance/src/testkit/unheard.ts';
import type { Effect, EffectOutcome } from '../../ports/effects.ts';
import { sealerOf } from './sealing.ts';
import { withUnsealedRequests } from './unsealed-effects.ts';

const sealer = sealerOf(new Uint8Array(32).fill(5));
const seal = (value: Json) => sealer.seal('acme', 'it', value);

async function perform(request: Json, outcome: EffectOutcome) {
  let given: Json | undefined;
  const effects = withUnsealedRequests(
    {
      perform: async (effect) => {
        given = effect.request;
        return outcome;
      },
    },
    sealer,
  );
  const effect = { kind: 'k', tenant: 'acme', request } as Effect;
  const told = await effects.perform(effect, UNHEARD);
  return { given, told };
}

const done = (outputs: Record<string, Json>): EffectOutcome => ({ kind: 'done', outputs });

it('opens tokens of any type at any depth, also inside texts and inside each other', async () => {
  const inner = seal('inner value');
  const { given } = await perform(
    {
      number: seal(4242),
      list: [seal({ a: true }), `x${seal('text')}y${seal(77)}`],
      nested: seal({ deep: inner }),
    },
    done({}),
  );
  expect(given).toEqual({
    number: 4242,
    list: [{ a: true }, 'xtexty77'],
    nested: { deep: 'inner value' },
  });
});

it('hands on a request without tokens, and its outcome, as they are', async () => {
  const request = { a: 'sealed:v1:no:AAAA', b: [1] };
  const outcome = done({ a: 'plain' });
  const { given, told } = await perform(request, outcome);
  expect(given).toBe(request);
  expect(told).toBe(outcome);
});

it('takes what it opened out of the outcome again: whole values as their tokens', async () => {
  const text = seal('a sealed text');
  const number = seal(424242);
  const object = seal({ street: 'Elm Street 9', no: 1 });
  const { told } = await perform(
    { text, number, object },
    done({
      text: 'a sealed text',
      number: 424242,
      said: 'you said "a sealed text"',
      street: 'Elm Street 9',
      encoded: Buffer.from('a sealed text').toString('base64'),
      other: 'nothing',
    }),
  );
  expect(told).toEqual(
    done({
      text,
      number,
      said: 'you said "[REDACTED]"',
      street: '[REDACTED]',
      encoded: '[REDACTED]',
      other: 'nothing',
    }),
  );
});

it('leaves the form of an outcome alone, whatever the value is', async () => {
  const request = [seal('done'), seal('message'), seal('outputs'), seal('failed'), seal('declined')];
  const error = { code: 'declined', message: 'your message was declined', details: { message: 'x' } };
  expect((await perform(request, { kind: 'failed', error })).told).toMatchObject({
    kind: 'failed',
    error: { code: 'declined', message: 'your [REDACTED] was [REDACTED]' },
  });
  expect((await perform(request, done({ a: 'b' }))).told).toEqual(done({ a: 'b' }));
});
