import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { addEndedSession, readEndedSessions } from './ended-sessions.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'baton-ended-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

it('gives back the sessions whose time has not come, and forgets the others', () => {
  const data = folder();
  expect(readEndedSessions(data, 0)).toEqual([]);
  addEndedSession(data, { id: 'a', until: 100 });
  addEndedSession(data, { id: 'b', until: 200 });
  expect(readEndedSessions(data, 99)).toEqual([
    { id: 'a', until: 100 },
    { id: 'b', until: 200 },
  ]);
  expect(readEndedSessions(data, 100)).toEqual([{ id: 'b', until: 200 }]);
  expect(readFileSync(join(data, 'ended-sessions'), 'utf8')).toBe('b 200\n');
});

it('reads on after a line that a crash cut off', () => {
  const data = folder();
  addEndedSession(data, { id: 'a', until: 100 });
  appendFileSync(join(data, 'ended-sessions'), 'cut-o');
  expect(readEndedSessions(data, 0)).toEqual([{ id: 'a', until: 100 }]);
  addEndedSession(data, { id: 'b', until: 200 });
  expect(readEndedSessions(data, 0).map(({ id }) => id)).toEqual(['a', 'b']);
});
