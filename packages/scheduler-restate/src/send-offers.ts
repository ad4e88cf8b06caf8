import type { Effect } from '@baton/engine/ports';
import { serviceOf } from './service-names.ts';

/**
 * Sends offers to Restate, after they were stored. Only the key, the kind and the number of the try leave the host. An
 * offer that Restate does not take is not an error: it is in the database, and the sweep finds it.
 */
interface OfferSender {
  send(effect: Pick<Effect, 'key' | 'kind' | 'tries'>, at: number, place: number): void;
  /** Offers that were not taken since the start. */
  lost(): number;
  stop(): void;
}

interface SenderOptions {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  /** Told when Restate stops or begins to take offers. */
  readonly onState: (takes: boolean) => void;
  /** Restate does not know the pool that performs the effect. */
  readonly onUnknown: () => void;
}

/** An answer later than this is not awaited. */
const ANSWER_WITHIN_MS = 3000;
/** More offers than these do not wait for Restate at the same time. The sweep takes up the others. */
const MOST_UNDER_WAY = 2000;

export function offerSender({ url, fetch, now, onState, onUnknown }: SenderOptions): OfferSender {
  const stopping = new AbortController();
  let underWay = 0;
  let lost = 0;
  let takes = true;

  function note(isTaken: boolean): void {
    if (!isTaken) lost += 1;
    if (isTaken === takes) return;
    takes = isTaken;
    onState(isTaken);
  }

  async function post(address: string, idempotencyKey: string, tries: number): Promise<boolean> {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ try: tries }),
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
    });
    // The connection can be used again only when the answer was read.
    await response.text();
    if (response.status === 404) onUnknown();
    return response.ok;
  }

  return {
    send({ key, kind, tries }, at, place) {
      const service = serviceOf(kind);
      if (service === undefined || stopping.signal.aborted) return;
      if (underWay >= MOST_UNDER_WAY) return note(false);
      const wait = Math.ceil(at - now());
      const delay = wait > 0 ? `?delay=${wait}ms` : '';
      const address = `${url}/${service}/${encodeURIComponent(key)}/perform/send${delay}`;
      underWay += 1;
      post(address, `${key}:${tries}:${place}`, tries)
        .then(note, () => note(false))
        .finally(() => {
          underWay -= 1;
        });
    },
    lost: () => lost,
    stop: () => stopping.abort(),
  };
}
