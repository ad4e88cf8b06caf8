import Type from 'typebox';
import type { InterruptKind } from './interrupt.ts';
import { Ordinal } from './numbers.ts';
import { RunUsage, Status, Tags } from './run.ts';

/** A run as the list of runs and its feed show it. */

/** How many questions the summary of a run has at most. */
export const MOST_WAITS_LISTED = 3;

const Moment = Type.String({ format: 'date-time' });

const WaitingFor = Type.Object({
  /** The run that asks: the run of the summary, or one of its descendants. */
  runId: Type.String(),
  nodeId: Type.String(),
  kind: Type.Unsafe<InterruptKind>({ type: 'string' }),
  since: Moment,
  deadline: Type.Optional(Moment),
});

/** The fields `turn`, `usage` and `error` are absent in runs that ended before the host kept them. */
export const RunSummary = Type.Object({
  runId: Type.String(),
  workflowId: Type.String(),
  status: Status,
  createdAt: Moment,
  updatedAt: Moment,
  /** When the run, or the fork, was begun. */
  startedAt: Type.Optional(Moment),
  endedAt: Type.Optional(Moment),
  parentRunId: Type.Optional(Type.String()),
  /** The run of which this run is a fork. */
  forkedFrom: Type.Optional(Type.String()),
  role: Type.Optional(Type.Literal('critic')),
  /** The number of the last turn of the run's supervisor. */
  turn: Type.Optional(Ordinal),
  /** The oldest questions that the run and its descendants wait for. */
  waitingFor: Type.Optional(Type.Array(WaitingFor, { maxItems: MOST_WAITS_LISTED })),
  /** What the run and its ended children have used, as in the snapshot of the run. */
  usage: Type.Optional(RunUsage),
  /** Why the run failed. A long message is cut off. */
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  /** False if a completed run gave up; absent if the run has no goal. */
  goalMet: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Tags),
});
export type RunSummary = Type.Static<typeof RunSummary>;
