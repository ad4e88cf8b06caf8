import { expect, it } from 'vitest';
import { childRunId, eventId, rootRunId } from './ids.ts';

it('names an event after its run and its place in the log', () => {
  expect(eventId('run', 0)).toBe('run:0');
});

it('names a child after its parent, at any depth', () => {
  expect(childRunId(childRunId('root', 2), 1)).toBe('root.2.1');
});

it.each(['root', 'root.1', 'root.2.1'])('finds the root of %s', (runId) => {
  expect(rootRunId(runId)).toBe('root');
});
