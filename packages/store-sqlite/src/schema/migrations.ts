import { runsAndEvents } from './0001-runs-and-events.ts';

/** Every schema change in order; the first brings an empty file to version 1. Only ever added to. */
export const MIGRATIONS: readonly string[] = [runsAndEvents];
