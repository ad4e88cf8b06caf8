import { isDeepStrictEqual } from 'node:util';
import { foldTexts, type Run } from '@baton/engine';
import type { ForkPoint, RunAdvance, RunRecord } from '@baton/engine/ports';
import {
  FIRST_LINK,
  isTerminal,
  type RunEvent,
  type RunStatus,
  type WorkflowDefinition,
} from '@baton/protocol';
import { extendLink } from '../../../packages/engine/src/audit/sha256.ts';
import { type LogWatch, logWatch } from './log-watch.ts';
import { isEnd } from './watch.ts';

/** A run as it follows from the slices that were stored. Nothing of it is read from the store. */
export interface BookedRun {
  readonly record: RunRecord;
  readonly tenant: string;
  status: RunStatus;
  /** The number of its events, with those that a fork shares with its source. */
  head: number;
  link: string;
  /** The fold over its log. Absent before its first event. */
  state: Run | undefined;
  /** The events that the run wrote itself, in their stored form. */
  readonly texts: string[];
  readonly watch: LogWatch;
  /** Its contents were removed from the store. */
  erased: boolean;
}

type Definitions = ReadonlyMap<string, WorkflowDefinition>;
type FindRun = (runId: string) => BookedRun | undefined;

export function bookRun(record: RunRecord, find: FindRun, definitions: Definitions): BookedRun {
  const { fork, tenant } = record;
  const run: BookedRun = {
    record,
    tenant,
    status: 'running',
    head: fork?.fromSeq ?? 0,
    link: FIRST_LINK,
    state: undefined,
    texts: [],
    watch: logWatch(definitions),
    erased: false,
  };
  const { texts, forks } = historyOf(run, find, run.head);
  if (texts.length === 0) return run;
  for (const text of texts) run.watch.see(JSON.parse(text) as RunEvent);
  run.link = extendLink(FIRST_LINK, texts);
  run.state = foldTexts(undefined, texts, forks);
  return run;
}

interface History {
  readonly texts: readonly string[];
  readonly forks: readonly ForkPoint[];
}

/** The first `end` events of the log. Those of a fork begin in its source. */
export function historyOf(run: BookedRun, find: FindRun, end: number): History {
  const { runId, parentRunId, createdAt, fork } = run.record;
  const from = fork?.fromSeq ?? 0;
  const source = from === 0 || fork === undefined ? undefined : find(fork.sourceRunId);
  const before = source ? historyOf(source, find, Math.min(end, from)) : { texts: [], forks: [] };
  const point = fork && { runId, createdAt, fork, ...(parentRunId !== undefined && { parentRunId }) };
  return {
    texts: [...before.texts, ...run.texts.slice(0, Math.max(end - from, 0))],
    forks: point !== undefined && end >= from ? [...before.forks, point] : before.forks,
  };
}

/** Adds stored events to the run, and returns what is wrong with them. */
export function extendRun(run: BookedRun, find: FindRun, advance: RunAdvance): readonly string[] {
  const { expectedHead, events: texts, status, chain, savedState } = advance;
  const problems: string[] = [];
  if (run.head !== expectedHead)
    problems.push(`events were stored from ${expectedHead}, and it has ${run.head}`);
  if (isTerminal(run.status) && texts.length > 0) problems.push('went on after its end');
  const events = texts.map((text) => JSON.parse(text) as RunEvent);
  for (const event of events) problems.push(...run.watch.see(event));
  if (texts.length > 0 && events.some(isEnd) !== isTerminal(status))
    problems.push(`is ${status}, and its last event is ${events.at(-1)?.type}`);
  const isNew = run.texts.length === 0 && run.record.fork?.fromSeq === 0;
  run.texts.push(...texts);
  run.head = expectedHead + texts.length;
  run.status = status;
  run.link = extendLink(run.link, texts);
  if (chain !== undefined && chain !== run.link) problems.push('has another hash chain than its log');
  if (texts.length > 0) problems.push(...fold(run, texts, isNew ? historyOf(run, find, run.head).forks : []));
  if (savedState?.sequence === run.head && !isDeepStrictEqual(JSON.parse(savedState.state), run.state))
    problems.push('was saved in a state that its log does not give');
  return problems;
}

function fold(run: BookedRun, texts: readonly string[], forks: readonly ForkPoint[]): readonly string[] {
  try {
    run.state = foldTexts(run.state, texts, forks);
    return [];
  } catch (problem) {
    return [`cannot be folded: ${problem}`];
  }
}
