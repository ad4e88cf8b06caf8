import { BatonError } from '@baton/protocol';
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Identity } from '../auth/identity.ts';

/** The sessions of clients of the 2025 version of MCP. */

interface Owned<S> {
  readonly session: S;
  readonly identity: Identity;
  /** Requests of the session that are open. */
  open: number;
  usedAt: number;
}

export interface Sessions<S> {
  /** Closes sessions that are no longer used. Throws when the tenant has too many that are in use. */
  makeRoom(identity: Identity): Promise<void>;
  add(id: string, identity: Identity, session: S): void;
  /**
   * The session with this id, and a function that ends its use. `undefined` when there is none for this caller: a
   * session belongs to the key that opened it.
   */
  use(id: string, identity: Identity): { readonly session: S; readonly leave: () => void } | undefined;
  /** The sessions, with the caller that opened each. */
  all(): readonly { readonly session: S; readonly identity: Identity }[];
  remove(id: string): void;
  closeAll(): Promise<void>;
}

interface SessionBounds {
  readonly now: () => number;
  readonly idleMs?: number;
  readonly perTenant?: number;
}

const IDLE_MS = 30 * 60 * 1000;
const PER_TENANT = 64;

export function createSessions<S extends { close(): Promise<void> }>({
  now,
  idleMs = IDLE_MS,
  perTenant = PER_TENANT,
}: SessionBounds): Sessions<S> {
  const all = new Map<string, Owned<S>>();

  async function close(id: string): Promise<void> {
    const found = all.get(id);
    all.delete(id);
    await found?.session.close();
  }

  const isExpired = ({ open, usedAt }: Owned<S>): boolean => open === 0 && usedAt + idleMs <= now();

  return {
    async makeRoom({ tenant }) {
      const expired = [...all].filter(([, one]) => isExpired(one));
      for (const [id] of expired) await close(id);
      const own = [...all].filter(([, one]) => one.identity.tenant === tenant);
      if (own.length < perTenant) return;
      const [idle] = own.filter(([, one]) => one.open === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt);
      if (idle === undefined) {
        throw new BatonError(
          'too_many_open',
          `This tenant has ${own.length} sessions in use; close some of them, then try again.`,
        );
      }
      await close(idle[0]);
    },
    add(id, identity, session) {
      all.set(id, { session, identity, open: 0, usedAt: now() });
    },
    use(id, identity) {
      const found = all.get(id);
      if (found === undefined || ownerOf(found.identity) !== ownerOf(identity) || isExpired(found))
        return undefined;
      found.open += 1;
      let isOpen = true;
      const leave = (): void => {
        if (!isOpen) return;
        isOpen = false;
        found.open -= 1;
        found.usedAt = now();
      };
      return { session: found.session, leave };
    },
    all: () => [...all.values()],
    remove: (id) => void all.delete(id),
    async closeAll() {
      await Promise.all([...all.keys()].map(close));
    },
  };
}

function ownerOf({ keyId, tenant, principal }: Identity): string {
  return JSON.stringify([keyId, tenant, principal]);
}

/**
 * The newest messages that were sent in a session of 2025, so that a client whose connection was cut can go on where it
 * stopped (`Last-Event-ID`). They are kept in memory with the session, which does not outlive the host either.
 */

/** Characters of all kept messages of a session. The newest message is kept, however long it is. */
const MOST_KEPT = 1024 * 1024;

interface Sent {
  readonly number: number;
  readonly streamId: string;
  readonly text: string;
}

/** The id of a message is its number in the session and the id of its stream: `7:<stream>`. */
export function sentMessages(mostKept = MOST_KEPT): EventStore {
  let kept: Sent[] = [];
  let size = 0;
  let newest = 0;

  return {
    async storeEvent(streamId, message) {
      newest += 1;
      const sent = { number: newest, streamId, text: JSON.stringify(message) };
      kept.push(sent);
      size += sent.text.length;
      while (size > mostKept && kept.length > 1) size -= kept.shift()?.text.length ?? 0;
      return `${sent.number}:${streamId}`;
    },
    getStreamIdForEventId: async (eventId) => placeIn(eventId)?.streamId,
    async replayEventsAfter(lastEventId, { send }) {
      const { number, streamId } = placeIn(lastEventId) ?? { number: newest, streamId: '' };
      const missed = kept.filter((sent) => sent.streamId === streamId && sent.number > number);
      for (const sent of missed) {
        const message = JSON.parse(sent.text) as JSONRPCMessage;
        // The first message of a stream is empty: it only gives the stream an id.
        if (Object.keys(message).length > 0) await send(`${sent.number}:${streamId}`, message);
      }
      // A stream that has come this far needs the earlier messages no longer.
      kept = kept.filter((sent) => sent.streamId !== streamId || sent.number > number);
      size = kept.reduce((sum, { text }) => sum + text.length, 0);
      return streamId;
    },
  };
}

function placeIn(eventId: string): { readonly number: number; readonly streamId: string } | undefined {
  const [, number, streamId] = /^(\d{1,15}):(.+)$/.exec(eventId) ?? [];
  return number === undefined || streamId === undefined ? undefined : { number: Number(number), streamId };
}
