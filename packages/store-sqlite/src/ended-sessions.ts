import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from './key-files.ts';
import { explainingFaults } from './storage-fault.ts';

/**
 * Browser sessions that ended before their time, so that they stay ended when the host is started again. Each line
 * of the file is the id of a session and the time at which the session would have ended by itself.
 */
export interface EndedSession {
  readonly id: string;
  readonly until: number;
}

const FILE = 'ended-sessions';
const LINE = /^(\S+) (\d{1,15})$/;

/** Those whose time has not come, of which the file is written anew. A line that a crash cut off is left out. */
export function readEndedSessions(folder: string, now: number): readonly EndedSession[] {
  const file = join(folder, FILE);
  return explainingFaults(file, () => {
    if (!existsSync(file)) return [];
    const text = readFileSync(file, 'utf8');
    const ended = sessionsIn(text).filter(({ until }) => until > now);
    const kept = ended.map(lineOf).join('');
    if (kept !== text) writeWhole(file, kept);
    return ended;
  });
}

/** All sessions of the file, which stays as it is. */
export function endedSessionsIn(folder: string): readonly EndedSession[] {
  const file = join(folder, FILE);
  return explainingFaults(file, () => (existsSync(file) ? sessionsIn(readFileSync(file, 'utf8')) : []));
}

function sessionsIn(text: string): readonly EndedSession[] {
  return text.split('\n').flatMap((line) => {
    const [, id, until] = LINE.exec(line) ?? [];
    return id === undefined ? [] : [{ id, until: Number(until) }];
  });
}

/** The session stays ended when this returns, even after a power cut. */
export function addEndedSession(folder: string, ended: EndedSession): void {
  const file = join(folder, FILE);
  explainingFaults(file, () => {
    const descriptor = openSync(file, 'a', 0o600);
    try {
      writeSync(descriptor, lineOf(ended));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}

function lineOf({ id, until }: EndedSession): string {
  return `${id} ${until}\n`;
}
