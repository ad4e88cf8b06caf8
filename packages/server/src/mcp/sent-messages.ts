import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

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
