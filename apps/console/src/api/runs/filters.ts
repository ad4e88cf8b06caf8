import type { RunStatus } from '@baton/client';
import { STATUS_WORDS } from '../../ui/status.ts';
import type { RunRow } from './run-row.ts';

/** Which runs a list shows. */
export interface RunFilters {
  readonly q?: string;
  readonly statuses?: readonly RunStatus[];
  readonly workflowId?: string;
  /** Only runs that no other run has started. */
  readonly roots: boolean;
}

const WAITING: readonly RunStatus[] = ['waiting-approval', 'waiting-input', 'waiting-external'];

/** The choices of the filter for the status. `waiting` stands for every kind of waiting. */
export const STATUS_CHOICES: readonly (readonly [name: string, label: string])[] = [
  ['waiting', 'Waiting'],
  ['running', STATUS_WORDS.running],
  ['completed', STATUS_WORDS.completed],
  ['failed', STATUS_WORDS.failed],
  ['paused', STATUS_WORDS.paused],
  ['cancelled', STATUS_WORDS.cancelled],
  ['pending', STATUS_WORDS.pending],
];

/** The statuses that a filter of the address names. A name that is unknown filters nothing. */
export function statusesOf(name: string | undefined): readonly RunStatus[] | undefined {
  if (name === 'waiting') return WAITING;
  if (name === 'cancelled') return ['cancelling', 'cancelled'];
  return name !== undefined && name in STATUS_WORDS ? [name as RunStatus] : undefined;
}

/**
 * Whether a run that has changed is in the list. `undefined` when only the host can say: it alone searches. The answer
 * for a run that the list has already does not depend on the search, which looks only at what never changes.
 */
export function belongs(filters: RunFilters, run: RunRow, isListed: boolean): boolean | undefined {
  if (filters.statuses !== undefined && !filters.statuses.includes(run.status)) return false;
  if (filters.workflowId !== undefined && filters.workflowId !== run.workflowId) return false;
  if (filters.roots && run.parentRunId !== undefined) return false;
  return filters.q === undefined || isListed ? true : undefined;
}
