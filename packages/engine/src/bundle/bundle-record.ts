import { type BundledRun, isTerminal } from '@baton/protocol';
import type { ForkRecord } from '../ports/store.ts';
import { ownStart, type WantedRun } from './wanted-runs.ts';
import type { WrittenLog } from './write-log.ts';

/** The record of one run in a bundle, without its events. */
export function bundleRecord({ row, part }: WantedRun, log: WrittenLog): BundledRun {
  const whole = isTerminal(row.status) && ownStart(row) + log.places.length === row.head;
  return {
    runId: row.runId,
    rootId: row.rootId,
    ...(row.parentRunId !== undefined && { parentRunId: row.parentRunId }),
    ...(row.parentNodeId !== undefined && { parentNodeId: row.parentNodeId }),
    part,
    principal: row.principal,
    workflowId: row.workflowId,
    workflowVersion: row.workflowVersion,
    // The beginning of a run will never go on, so it is exported as cancelled.
    status: part === 'source' && !whole ? 'cancelled' : row.status,
    tags: [...row.tags],
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ...(row.role !== undefined && { role: row.role }),
    ...(row.goalMet !== undefined && { goalMet: row.goalMet }),
    ...(row.fork !== undefined && { fork: portableFork(row.fork) }),
    places: log.places,
    ...(log.steps && { steps: log.steps }),
    ...(log.chain !== undefined && { chain: log.chain }),
    ...(log.masked.length > 0 && { masked: log.masked }),
  };
}

/** `upTo` is a place in the order of this store, so it is left out. An ended replay does not need it. */
function portableFork({ upTo: _upTo, live, by, ...fork }: ForkRecord) {
  const name = by && { principal: by.principal, ...(by.scopes && { scopes: [...by.scopes] }) };
  return { ...fork, live: [...live], ...(name && { by: name }) };
}
