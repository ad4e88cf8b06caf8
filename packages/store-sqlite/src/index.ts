export { backup } from './backup.ts';
export { lockDataFolder } from './lock.ts';
export { openSqliteReads, openSqliteStore, prepareDatabase } from './open.ts';
export { restore } from './restore.ts';
