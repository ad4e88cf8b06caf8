import type { Effect, Scheduler, SchedulerCalls } from '@baton/engine/ports';
import type { BenchOptions } from './test-engine.ts';

/**
 * A scheduler that hands effects and deadlines out, as the test says: it notes them, and the test sends the invitations
 * and rings.
 */

export const KIND = 'conformance.side-effect';
export const GRACE_MS = 5000;

interface NotedOffer {
  readonly key: string;
  readonly tries: number;
  readonly at: number;
}

export function handingOut(kinds: readonly string[] = [KIND]) {
  const offers: NotedOffer[] = [];
  const alarms: (readonly [rootId: string, at: number | null])[] = [];
  const known: { calls?: SchedulerCalls } = {};
  const scheduler: NonNullable<BenchOptions['scheduler']> = (calls, underneath): Scheduler => {
    known.calls = calls;
    return {
      ...underneath,
      wake(rootId, at) {
        underneath.wake(rootId, at);
        alarms.push([rootId, at]);
      },
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
  const ring = async (rootId: string, at: number) => known.calls?.rung({ rootId, at });
  return { scheduler, offers, alarms, invite, ring };
}
