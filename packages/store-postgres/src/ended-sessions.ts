import { changeAndTell } from './commit/commit-row.ts';
import type { Database } from './database/database.ts';
import type { Self } from './self.ts';

/** Browser sessions that ended before their time, so that every host refuses them. */
export interface EndedSession {
  readonly id: string;
  /** The time at which the session would have ended by itself. */
  readonly until: number;
}

/** Those whose time has not come. The others are removed. */
export async function readEndedSessions(database: Database, now: number): Promise<readonly EndedSession[]> {
  await database.run('DELETE FROM ended_sessions WHERE until <= $1', now);
  return database.rows<EndedSession>('SELECT id, until FROM ended_sessions');
}

/** The session stays ended when this resolves. Other hosts are told. */
export async function addEndedSession(database: Database, self: Self, ended: EndedSession): Promise<void> {
  await changeAndTell(database, self, { kind: 'session', ...ended }, ADD, ended.id, ended.until);
}

const ADD = 'INSERT INTO ended_sessions (id, until) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING';
