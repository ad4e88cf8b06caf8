import { childRunId, type EventOf, type RunEvent } from '@baton/protocol';
import { callKey } from '../../kernel/effect-key.ts';
import type { RecordedChild, RecordedOutcome, Source, SourceWant } from '../../kernel/replay/source.ts';
import type { Tree, Want, WorkingRun } from '../../kernel/working-run.ts';
import type { PlacedEvent, Store } from '../../ports/store.ts';
import type { Workflows } from '../workflows.ts';

/** Reads the log of a replay's source, one page at a time and only when the replay needs it. */

const PAGE = 256;

export function isSourceWant(want: Want): want is SourceWant {
  return want.kind === 'source-events' || want.kind === 'source-child' || want.kind === 'source-outcomes';
}

export async function supplySource(
  store: Store,
  workflows: Workflows,
  tree: Tree,
  want: SourceWant,
): Promise<void> {
  const working = tree.runs.get(want.runId);
  const sourceRunId = working?.run.fork?.sourceRunId;
  if (working?.source === undefined || sourceRunId === undefined) return;
  await supply(store, workflows, want, working, working.source, sourceRunId);
}

async function supply(
  store: Store,
  workflows: Workflows,
  want: SourceWant,
  working: WorkingRun,
  source: Source,
  sourceRunId: string,
): Promise<void> {
  switch (want.kind) {
    case 'source-events':
      return readAhead(store, working, source, sourceRunId);
    case 'source-child':
      source.children.set(
        want.number,
        await beginningOfChild(store, workflows, working, sourceRunId, want.number),
      );
      return;
    case 'source-outcomes':
      source.outcomes = await readOutcomes(store, working, sourceRunId);
  }
}

async function readAhead(
  store: Store,
  working: WorkingRun,
  source: Source,
  sourceRunId: string,
): Promise<void> {
  const last = source.ahead.at(-1)?.event.sequence;
  if (last === undefined && (await hasGoneOnAlone(store, working, sourceRunId))) source.left = true;
  const from = last === undefined ? working.run.head : last + 1;
  const page = await followedEvents(store, working, sourceRunId, from, PAGE);
  for (const { place, text, starts, stepEnd } of page) {
    const event = JSON.parse(text) as RunEvent;
    source.ahead.push({ place, text, starts, stepEnd, event, at: Date.parse(event.timestamp) });
  }
  source.complete = page.length < PAGE;
  if (!(await isSameWork(store, working, sourceRunId))) source.left = true;
}

/**
 * True when the replay no longer follows because its source was stopped. This is not stored. It shows in the
 * time of the last event: while a replay follows, its events have the times of the source's events.
 */
async function hasGoneOnAlone(store: Store, { run }: WorkingRun, sourceRunId: string): Promise<boolean> {
  // Inherited events are those of the source, and may have another time.
  if (run.head <= Math.max(run.fork?.fromSeq ?? 0, 1)) return false;
  const [before] = await store.placedEvents(sourceRunId, run.head - 1, 1);
  return before === undefined || Date.parse((JSON.parse(before.text) as RunEvent).timestamp) !== run.at;
}

/** The events of the source up to the place at which it was forked. A replay ignores later events. */
async function followedEvents(
  store: Store,
  { run }: WorkingRun,
  sourceRunId: string,
  from: number,
  limit: number,
): Promise<readonly PlacedEvent[]> {
  const page = await store.placedEvents(sourceRunId, from, limit);
  const upTo = run.fork?.upTo ?? Number.POSITIVE_INFINITY;
  return page.filter(({ place }) => place <= upTo);
}

/** After a divergence, the child with the same number may run another workflow. Then it is not followed. */
async function isSameWork(store: Store, { run }: WorkingRun, sourceRunId: string): Promise<boolean> {
  const row = await store.run(sourceRunId);
  return row?.workflowId === run.workflowId && row.tenant === run.tenant;
}

async function beginningOfChild(
  store: Store,
  workflows: Workflows,
  working: WorkingRun,
  sourceRunId: string,
  number: number,
): Promise<RecordedChild | 'absent'> {
  const [first] = await followedEvents(store, working, childRunId(sourceRunId, number), 0, 1);
  if (first === undefined) return 'absent';
  const { text } = first;
  const started = JSON.parse(text) as EventOf<'run.started'>;
  const { workflowVersion: version, definition } = started.payload;
  return { workflow: { version, plan: await workflows.plan(definition) }, started, text };
}

/** The outcome of every effect of the source: the events of the node from its start to its end. */
async function readOutcomes(
  store: Store,
  working: WorkingRun,
  sourceRunId: string,
): Promise<ReadonlyMap<string, RecordedOutcome>> {
  const gathering = outcomesGathered();
  if (!(await isSameWork(store, working, sourceRunId))) return gathering.outcomes;
  for (let from = 0; ; from += PAGE) {
    const page = await followedEvents(store, working, sourceRunId, from, PAGE);
    for (const { text } of page) gathering.add(JSON.parse(text) as RunEvent);
    if (page.length < PAGE) return gathering.outcomes;
  }
}

/** Finds the outcomes of effects in a log. */
interface OutcomesGathered {
  readonly outcomes: ReadonlyMap<string, RecordedOutcome>;
  /** Takes the next event of the log. */
  add(event: RunEvent): void;
}

interface NodeAttempt {
  readonly execution: number;
  readonly attempt: number;
  readonly retried: Map<number, EventOf<'baton.effect.retried'>[]>;
  /** The outcome that the following events of the node belong to. */
  burst?: RunEvent[];
}

function outcomesGathered(): OutcomesGathered {
  const outcomes = new Map<string, RecordedOutcome>();
  const attempts = new Map<string, NodeAttempt>();

  function begin(nodeId: string, { attempt }: EventOf<'node.started'>['payload']): void {
    const before = attempts.get(nodeId)?.execution ?? 0;
    const execution = attempt === 1 ? before + 1 : before;
    attempts.set(nodeId, { execution, attempt, retried: new Map() });
  }

  function settle(nodeId: string, present: NodeAttempt, settled: EventOf<'baton.effect.settled'>): void {
    const { execution, attempt, retried } = present;
    const { step } = settled.payload;
    const burst: RunEvent[] = [settled];
    present.burst = burst;
    const outcome = { retried: retried.get(step) ?? [], settled, burst };
    outcomes.set(callKey({ nodeId, execution, attempt, step }), outcome);
  }

  return {
    outcomes,
    add(event) {
      const { nodeId } = event;
      if (nodeId === undefined) return;
      if (event.type === 'node.started') {
        begin(nodeId, event.payload);
        return;
      }
      const present = attempts.get(nodeId);
      if (present === undefined) return;
      switch (event.type) {
        case 'baton.effect.retried': {
          const { step } = event.payload;
          present.retried.set(step, [...(present.retried.get(step) ?? []), event]);
          return;
        }
        case 'baton.effect.settled':
          settle(nodeId, present, event);
          return;
        // The replay decides again whether the node has the required scopes, so this event is not part of the
        // outcome. The end of a cancelled node is not an outcome either.
        case 'authorization.decided':
        case 'node.cancelled':
        case 'output.chunk':
          return;
      }
      present.burst?.push(event);
    },
  };
}
