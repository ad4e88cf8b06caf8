import type { DeliveryRow, SettledDelivery } from '@baton/engine/ports';

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 3_600_000;
/** How long a delivery is tried. */
export const DELIVERY_DAY_MS = 86_400_000;

/** Why a try failed. It never repeats what the receiver sent. */
export interface Failure {
  readonly error: string;
  /** The receiver asked for this pause. */
  readonly retryAfterMs?: number;
  /** The receiver wants no more deliveries. */
  readonly gone?: true;
}

interface FailedTry {
  readonly webhookId: string;
  /** The delivery before this try. After a success within the same delivery, it has no failed tries. */
  readonly row: Pick<DeliveryRow, 'number' | 'tries' | 'failingSince'>;
  /** The event that was not delivered, and the time when it happened. */
  readonly sequence: number;
  readonly happenedAt: number;
  readonly failure: Failure;
  readonly now: number;
  /** Between 0 and 1. */
  readonly random: number;
}

/**
 * An event is tried for a day, counted from the first failure of its run or from the event itself, whichever is later.
 * So an event that waited behind others is not given up with them.
 */
export function afterFailure(failed: FailedTry): SettledDelivery {
  const { webhookId, row, sequence, happenedAt, failure, now, random } = failed;
  const tries = row.tries + 1;
  const failingSince = row.failingSince ?? now;
  const common = { number: row.number, webhookId, at: now, next: sequence, tries, failingSince };
  if (now - Math.max(failingSince, happenedAt) >= DELIVERY_DAY_MS) {
    return { ...common, kind: 'dead', error: failure.error };
  }
  const wait = Math.max(waitBefore(tries, random), Math.min(failure.retryAfterMs ?? 0, LONGEST_WAIT_MS));
  return { ...common, kind: 'failed', nextAt: now + wait, error: failure.error };
}

/** Doubles with each try, up to an hour, with a fifth more or less so that the tries of many runs spread out. */
export function waitBefore(tries: number, random: number): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.min(tries - 1, 30), LONGEST_WAIT_MS);
  return Math.round(wait * (0.8 + 0.4 * random));
}
