import { describe, expect, it } from 'vitest';
import { streamView } from './stream-mode.ts';

describe('streamView', () => {
  it.each([undefined, 'updates', 'debug', 'updates,debug', 'updates,messages', 'messages, debug'])(
    '%s shows every event',
    (mode) => expect(streamView(mode)).toEqual({ kind: 'events' }),
  );

  it('shows the state with values', () => expect(streamView('values')).toEqual({ kind: 'values' }));

  it.each([
    ['agent.reasoned', true],
    ['agent.reasoning.delta', true],
    ['ai.message.chunk', true],
    ['run.completed', true],
    ['run.failed', true],
    ['run.cancelled', true],
    ['run.started', false],
    ['node.completed', false],
    ['agentless.thing', false],
  ])('messages and %s: %s', (type, shown) => {
    const view = streamView('messages');
    expect(view.kind === 'events' && view.shows?.(type)).toBe(shown);
  });

  it.each(['values,updates', 'bogus', '', 'updates,', 'Updates'])('refuses "%s"', (mode) => {
    expect(() => streamView(mode)).toThrow(expect.objectContaining({ code: 'unsupported_stream_mode' }));
  });
});
