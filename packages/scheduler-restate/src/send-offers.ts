import { ALARM_POOL, type Alarm, type Effect } from '@baton/engine/ports';
import { serviceName, serviceOf } from './service-names.ts';

/**
 * Sends offers and deadlines to Restate, after they were stored. Only the key, the kind and the number of the try leave
 * the host, or the id of the run and the time. What Restate does not take is not an error: it is in the database, and the
 * sweep finds it.
 */
interface OfferSender {
  send(effect: Pick<Effect, 'key' | 'kind' | 'tries'>, at: number, place: number): void;
  /** Some host should be called at this time, because the tree is due. */
  sendAlarm(alarm: Alarm): void;
  /** Offers and deadlines that were not taken since the start. */
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

  async function post(address: string, idempotencyKey: string, body: object): Promise<boolean> {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify(body),
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
    });
    // The connection can be used again only when the answer was read.
    await response.text();
    if (response.status === 404) onUnknown();
    return response.ok;
  }

  /** Restate calls the handler of the object at this time, or at once if the time has passed. */
  function callLater(handler: string, at: number, idempotencyKey: string, body: object): void {
    if (stopping.signal.aborted) return;
    if (underWay >= MOST_UNDER_WAY) {
      note(false);
      return;
    }
    const wait = Math.ceil(at - now());
    underWay += 1;
    post(`${url}/${handler}/send${wait > 0 ? `?delay=${wait}ms` : ''}`, idempotencyKey, body)
      .then(note, () => note(false))
      .finally(() => {
        underWay -= 1;
      });
  }

  return {
    send({ key, kind, tries }, at, place) {
      const service = serviceOf(kind);
      if (service === undefined) return;
      callLater(`${service}/${encodeURIComponent(key)}/perform`, at, `${key}:${tries}:${place}`, {
        try: tries,
      });
    },
    sendAlarm({ rootId, at }) {
      const handler = `${serviceName(ALARM_POOL)}/${encodeURIComponent(rootId)}/ring`;
      callLater(handler, at, `${rootId}:${at}`, { at });
    },
    lost: () => lost,
    stop: () => stopping.abort(),
  };
}
