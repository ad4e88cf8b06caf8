import { auditTables } from './audit.ts';
import { keyTables } from './keys.ts';
import { memoryTables } from './memory.ts';
import { outgoingTables } from './outgoing.ts';
import { runTables } from './runs.ts';
import { usageTables } from './usage.ts';

/** The schema of the first version. */
const TABLES = [runTables, memoryTables, auditTables, usageTables, keyTables, outgoingTables].flat().join('');

/** All schema changes in order: the first creates version 1. A released migration is never changed. */
export const MIGRATIONS: readonly string[] = [TABLES];
