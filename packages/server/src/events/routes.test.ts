import { describe, expect, it } from 'vitest';
import { streamView } from './routes.ts';

describe('streamView', () => {
  it.each([
    [undefined, false],
    ['updates', false],
    ['debug', false],
    ['updates,debug', false],
    ['updates,messages', true],
    ['messages, debug', true],
  ])('%s shows every event, and parts of texts as they arrive: %s', (mode, live) => {
    expect(streamView(mode)).toEqual({ kind: 'events', live });
  });

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
