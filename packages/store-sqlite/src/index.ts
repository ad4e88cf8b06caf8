export { backup, restore } from './copies.ts';
export { addEndedSession, type EndedSession, readEndedSessions } from './ended-sessions.ts';
export { inHandFile, treeInHand } from './in-hand-file.ts';
export { openMemoryStorage } from './in-memory.ts';
export { type KeyName, keepKey, readKey, replaceKey, type StoredKey } from './key-files.ts';
export { leaveAddress, removeAddress } from './left-by-host.ts';
export { lockDataFolder } from './lock.ts';
export { openFolderContents } from './move/folder-contents.ts';
export { openSqliteReads, openSqliteStore, prepareDatabase } from './open.ts';
