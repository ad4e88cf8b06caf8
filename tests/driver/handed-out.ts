import type { Effect, Scheduler, SchedulerCalls } from '@baton/engine/ports';
import type { BenchOptions } from './test-engine.ts';

/** A scheduler that hands effects out, as the test says: it notes the offers, and the test sends the invitations. */

export const KIND = 'conformance.side-effect';
export const GRACE_MS = 5000;

interface NotedOffer {
  readonly key: string;
  readonly tries: number;
  readonly at: number;
}

export function handingOut(kinds: readonly string[] = [KIND]) {
  const offers: NotedOffer[] = [];
  const known: { calls?: SchedulerCalls } = {};
  const scheduler: NonNullable<BenchOptions['scheduler']> = (calls, underneath): Scheduler => {
    known.calls = calls;
    return {
      ...underneath,
      handsOut: {
        kinds,
        isOffered: (kind) => kind === KIND,
        graceMs: GRACE_MS,
        offer: ({ key, tries }: Effect, at) => void offers.push({ key, tries, at }),
      },
    };
  };
  /** Invites the host. The answer is noted when it comes. */
  function invite(key: string, tries = 1): { answer?: string } {
    const noted: { answer?: string } = {};
    void known.calls?.invited({ key, tries }).then((answer) => {
      noted.answer = answer;
    });
    return noted;
  }
  return { scheduler, offers, invite };
}
