import { type BundledRun, type JsonObject, type RunEvent, type RunLimits, rootRunId } from '@baton/protocol';
import type { Caller } from '../commands.ts';
import { DEFAULT_LIMITS } from '../driver/limits.ts';
import { type Redactor, redactPayload } from '../kernel/secrecy/redaction.ts';
import type { ImportRecord, RunRecord } from '../ports/store.ts';
import { type FreshNames, withScopes } from './fresh-names.ts';
import { isGrant } from './grants.ts';
import type { ReadBundle } from './read-bundle.ts';
import type { ReadLog } from './read-log.ts';
import { refused } from './refused.ts';

/**
 * The runs of a bundle as they are stored on this host: with new ids, without secrets, and marked as
 * imported.
 */

export interface ArrivingRun {
  readonly record: RunRecord;
  readonly run: BundledRun;
  /**
   * The highest ancestor that is part of the bundle, or the run itself. Runs with the same `topId` are stored
   * and purged together.
   */
  readonly topId: string;
  readonly texts: readonly string[];
}

interface Naming {
  readonly names: FreshNames;
  readonly redactor: Redactor | undefined;
}

export function arrivingRuns(
  { runs, vouchedBy }: ReadBundle,
  { names, redactor }: Naming,
  { tenant, by, at }: { readonly tenant: string; readonly by: Caller['principal']; readonly at: number },
): readonly ArrivingRun[] {
  for (const { run, texts } of runs) {
    const { places: _places, ...spoken } = run;
    names.note(JSON.stringify({ ...spoken, events: undefined }));
    for (const live of run.fork?.live ?? []) names.note(live);
    for (const text of texts) names.note(text);
  }
  const ids = new Set(runs.map(({ run }) => run.runId));
  const grants = firstGrants(runs);
  return runs.map(({ run, texts }) => {
    const grantedAt = grants.get(run.runId);
    const imported: ImportRecord = {
      from: run.runId,
      by,
      at,
      ...(vouchedBy !== undefined && { vouchedBy }),
      ...(grantedAt !== undefined && { grantedAt }),
    };
    const topId = names.inText(topOf(run.runId, ids));
    const record = recordOf(run, { names, redactor }, topId, ids);
    return {
      run,
      topId,
      record: { ...record, tenant, imported },
      texts: texts.map((text) => arrivingText(text, { names, redactor })),
    };
  });
}

function topOf(runId: string, ids: ReadonlySet<string>): string {
  let top = runId;
  while (top.includes('.') && ids.has(top.slice(0, top.lastIndexOf('.')))) {
    top = top.slice(0, top.lastIndexOf('.'));
  }
  return top;
}

function recordOf(
  run: BundledRun,
  { names, redactor }: Naming,
  rootId: string,
  ids: ReadonlySet<string>,
): Omit<RunRecord, 'tenant'> {
  const { fork, parentRunId, parentNodeId } = run;
  const given = {
    principal: run.principal,
    workflowId: run.workflowId,
    tags: [...run.tags],
    ...(fork && { fork: JSON.parse(names.inText(JSON.stringify(fork))) }),
  };
  const told = redactor?.redactJson(given) ?? given;
  const hasParent = parentRunId !== undefined && ids.has(parentRunId);
  return {
    runId: names.inText(run.runId),
    rootId,
    ...(hasParent && { parentRunId: names.inText(parentRunId) }),
    ...(hasParent && parentNodeId !== undefined && { parentNodeId }),
    ...told,
    workflowVersion: run.workflowVersion,
    createdAt: run.createdAt,
    ...(run.role !== undefined && { role: run.role }),
  };
}

/** Everything after the first grant of a tree, in any of its runs, may depend on this grant. */
function firstGrants(runs: readonly ReadLog[]): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { run, texts } of runs) {
    const root = rootRunId(run.runId);
    const index = texts.findIndex((text) => MAY_GRANT.test(text) && isGrant(JSON.parse(text) as RunEvent));
    const place = run.places[index];
    if (place !== undefined) first.set(root, Math.min(place, first.get(root) ?? place));
  }
  const granted = new Map<string, number>();
  for (const { run } of runs) {
    const place = first.get(rootRunId(run.runId));
    const before = place === undefined ? -1 : run.places.findIndex((one) => one >= place);
    if (before >= 0) granted.set(run.runId, (run.fork?.fromSeq ?? 0) + before);
  }
  return granted;
}

/** Most events are not grants. This pattern avoids parsing them. */
const MAY_GRANT =
  /"type":"(?:approval\.|agent\.verified|interrupt\.resolved|core\.workflowChain|baton\.merge)/;

/** Writes an event in the field order of this host, whatever the order in the bundle was. */
function arrivingText(text: string, { names, redactor }: Naming): string {
  const given = withScopes(JSON.parse(text) as RunEvent, names);
  const { eventId, runId, sequence, timestamp, type, nodeId, causationId } = given;
  const whole = names.inText(JSON.stringify(withinLimits(given).payload));
  const body = redactor ? redactPayload(redactor, JSON.parse(whole) as JsonObject, whole).text : whole;
  const envelope = { eventId, runId, sequence, timestamp, type, nodeId, causationId };
  return `${names.inText(JSON.stringify(envelope)).slice(0, -1)},"payload":${body}}`;
}

/** A branch inherits the limits of its source, so they are bounded by the limits of this host. */
function withinLimits(event: RunEvent): RunEvent {
  if (event.type !== 'run.started' && event.type !== 'baton.run.branched') return event;
  const { limits } = event.payload;
  if (limits === undefined) return event;
  const bounded = Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [
      name,
      Math.min(limit, DEFAULT_LIMITS[name as keyof RunLimits] ?? limit),
    ]),
  );
  return { ...event, payload: { ...event.payload, limits: bounded } } as RunEvent;
}

/** The trees in an order in which they can be stored: the source of a fork comes before the fork. */
export function treesInOrder(runs: readonly ArrivingRun[]): readonly (readonly ArrivingRun[])[] {
  const trees = new Map<string, ArrivingRun[]>();
  const topOfRun = new Map<string, string>();
  for (const one of runs) {
    topOfRun.set(one.record.runId, one.topId);
    const tree = trees.get(one.topId);
    if (tree) tree.push(one);
    else trees.set(one.topId, [one]);
  }
  const state = new Map<string, 'begun' | 'done'>();
  const sorted: (readonly ArrivingRun[])[] = [];
  const visit = (topId: string): void => {
    if (state.get(topId) === 'done') return;
    if (state.get(topId) === 'begun') throw refused('has trees that were forked from each other');
    state.set(topId, 'begun');
    const tree = trees.get(topId) ?? [];
    for (const { record } of tree) {
      const source =
        record.fork && record.fork.fromSeq > 0 ? topOfRun.get(record.fork.sourceRunId) : undefined;
      if (source !== undefined) visit(source);
    }
    state.set(topId, 'done');
    sorted.push(tree);
  };
  for (const topId of trees.keys()) visit(topId);
  return sorted;
}
