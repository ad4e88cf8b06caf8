import type { LocalEngine } from '@baton/engine';
import { expect, it } from 'vitest';
import { acting, BUSY, twoHosts } from './held-effects.ts';
import { handClock, settled } from './test-engine.ts';

/** A host that stops in order releases what it has not begun, so that the next one knows that it was not performed. */

it('releases a next try whose claim was under way when the host began to stop', async () => {
  const { clock, move } = handClock();
  let answerClaims = () => {};
  const answered = new Promise<void>((resolve) => {
    answerClaims = resolve;
  });
  const hosts = await twoHosts(acting({ tries: 3 }), {
    clock,
    wrap: (store) => ({
      ...store,
      async claimEffects(claim) {
        const granted = await store.claimEffects(claim);
        if (claim.owner === 'one') await answered;
        return granted;
      },
    }),
  });
  await hosts.first[0]?.finish({ ...BUSY, retryAfterMs: 60_000 });
  await move(60_000);
  const drained = (hosts.one.engine as LocalEngine).drain();
  answerClaims();
  await drained;
  expect(hosts.first).toHaveLength(1);
  hosts.alive.splice(0, 1);
  await hosts.two.recover();
  await settled();
  expect(hosts.second.map(({ effect }) => [effect.tries, effect.again])).toEqual([[2, undefined]]);
});
