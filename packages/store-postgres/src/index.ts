export { aloneIn } from './database/alone.ts';
export { addEndedSession, type EndedSession, readEndedSessions } from './ended-sessions.ts';
export { hostKeys, type KeyName, type StoredKey } from './host-keys.ts';
export { type HostRow, joinHosts, type Membership, type Tick } from './hosts/membership.ts';
export { moveInto } from './move/move-into.ts';
export { nameOfDatabase, openPostgresReads, openPostgresStore, prepareDatabase, using } from './open.ts';
export { selfOf } from './self.ts';
