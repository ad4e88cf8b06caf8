import { tables } from './0001-tables.ts';
import { countsAndGuards } from './0002-counts-and-guards.ts';
import { offeredEffects } from './0003-offered-effects.ts';

/** All schema changes in order. The first creates version 1. Released migrations are never changed. */
export const MIGRATIONS = [
  { sql: tables, oldest: 1 },
  { sql: countsAndGuards, oldest: 2 },
  { sql: offeredEffects, oldest: 2 },
] as const;
