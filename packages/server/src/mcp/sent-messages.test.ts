import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { sentMessages } from './sessions.ts';

const note = (words: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { words },
});

async function after(store: ReturnType<typeof sentMessages>, eventId: string) {
  const sent: unknown[] = [];
  const streamId = await store.replayEventsAfter(eventId, {
    send: async (_id, message) => {
      sent.push((message as { params?: { words?: string } }).params?.words);
    },
  });
  return { streamId, sent };
}

it('sends the messages of one stream again that came after the last one that was seen', async () => {
  const store = sentMessages();
  const primed = await store.storeEvent('a', {} as never);
  const first = await store.storeEvent('a', note('one'));
  await store.storeEvent('b', note('of another stream'));
  await store.storeEvent('a', note('two'));
  expect(await after(store, primed)).toEqual({ streamId: 'a', sent: ['one', 'two'] });
  expect(await after(store, first)).toEqual({ streamId: 'a', sent: ['two'] });
  expect(await store.getStreamIdForEventId?.(first)).toBe('a');
  expect(await store.getStreamIdForEventId?.('nonsense')).toBeUndefined();
});

it('keeps the newest messages up to a bound, and always the newest one', async () => {
  const store = sentMessages(300);
  const primed = await store.storeEvent('a', {} as never);
  for (let n = 1; n <= 10; n += 1) await store.storeEvent('a', note(`message ${n}`));
  const { sent } = await after(store, primed);
  expect(sent.at(-1)).toBe('message 10');
  expect(sent.length).toBeLessThan(5);
  await store.storeEvent('a', note('x'.repeat(1000)));
  expect((await after(store, primed)).sent).toEqual(['x'.repeat(1000)]);
});
