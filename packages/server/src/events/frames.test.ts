import { expect, it } from 'vitest';
import { batchFrame, eventFrames, typeOf, valuesFrame } from './frames.ts';

const event = (sequence: number, type: string, payload: object = {}): string =>
  JSON.stringify({ eventId: `r:${sequence}`, runId: 'r', sequence, timestamp: 't', type, payload });

it('reads the type off the envelope, whatever the payload says', () => {
  expect(typeOf(event(0, 'node.completed', { type: 'run.completed', text: '"type":"run.failed"' }))).toBe(
    'node.completed',
  );
});

it('frames each event as it is stored', () => {
  const events = [event(4, 'node.completed'), event(5, 'run.completed')];
  expect(eventFrames(events, 4, undefined)).toEqual({
    text: `event: node.completed\nid: 4\ndata: ${events[0]}\n\nevent: run.completed\nid: 5\ndata: ${events[1]}\n\n`,
    ended: true,
  });
});

it('leaves out what is not shown, and still sees the end', () => {
  const frames = eventFrames([event(0, 'run.started'), event(1, 'run.failed')], 0, () => false);
  expect(frames).toEqual({ text: '', ended: true });
});

it('puts a batch into one frame that is named after its last event', () => {
  const events = [event(7, 'run.started'), event(8, 'node.started')];
  const expected = `event: batch\nid: 8\ndata: [${events.join(',')}]\n\n`;
  expect(batchFrame(events, 7, undefined)).toEqual({ text: expected, ended: false });
  expect(batchFrame(events, 7, () => false)).toEqual({ text: '', ended: false });
});

it('frames a state', () => {
  expect(valuesFrame('{"a":1}', 3)).toBe('event: values\nid: 3\ndata: {"a":1}\n\n');
});
