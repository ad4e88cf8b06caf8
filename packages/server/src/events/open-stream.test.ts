import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLingering } from '../http/lingering.ts';
import { openStream } from './open-stream.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A minimal reply that records what is written to it. */
function fakeReply() {
  const sent: string[] = [];
  const raw = Object.assign(new EventEmitter(), {
    writableNeedDrain: false,
    writableEnded: false,
    setHeader: () => undefined,
    flushHeaders: () => undefined,
    write: (text: string) => sent.push(text) > 0,
    end: () => raw.emit('close'),
    destroy: () => raw.emit('close'),
  });
  const request = { identity: null };
  const reply = { hijack: () => undefined, getHeader: () => undefined, request, raw };
  return { reply: reply as unknown as FastifyReply, raw, sent };
}

it('sends a comment now and then, so that nobody in between hangs up', () => {
  const { reply, raw, sent } = fakeReply();
  openStream(reply, createLingering(), { onReady: () => undefined, onEnd: () => undefined });
  vi.advanceTimersByTime(45_000);
  expect(sent).toEqual([': keep-alive\n\n', ': keep-alive\n\n', ': keep-alive\n\n']);
  raw.writableNeedDrain = true;
  vi.advanceTimersByTime(15_000);
  expect(sent).toHaveLength(3);
});

it('stops when the reader has gone, and when the host stops', () => {
  for (const leave of ['reader', 'host'] as const) {
    const { reply, raw, sent } = fakeReply();
    const lingering = createLingering();
    const onEnd = vi.fn();
    openStream(reply, lingering, { onReady: () => undefined, onEnd });
    if (leave === 'reader') raw.emit('close');
    else lingering.close();
    expect(onEnd).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(60_000);
    expect(sent).toEqual([]);
  }
});

it('writes nothing more once it has ended, though the reader has not taken everything', () => {
  const { reply, raw, sent } = fakeReply();
  // A reader that stalls: the response has ended, and its connection stays open.
  raw.end = () => {
    raw.writableEnded = true;
    return true;
  };
  const stream = openStream(reply, createLingering(), { onReady: () => undefined, onEnd: () => undefined });
  stream.write('last');
  stream.end();
  expect(stream.write('too late')).toBe(false);
  vi.advanceTimersByTime(60_000);
  expect(sent).toEqual(['last']);
});

it('destroys the connection of a response that fails, and nothing else', () => {
  const { reply, raw } = fakeReply();
  const onEnd = vi.fn();
  openStream(reply, createLingering(), { onReady: () => undefined, onEnd });
  expect(() => raw.emit('error', new Error('write after end'))).not.toThrow();
  expect(onEnd).toHaveBeenCalledOnce();
});
