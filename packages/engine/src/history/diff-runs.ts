import { isTerminal, type Json, type JsonObject, type RunEvent, rootRunId } from '@baton/protocol';
import { foldToRead } from '../fold.ts';
import { viewOfMemory } from '../kernel/fold/evolve-fork.ts';
import { sameJson } from '../kernel/graph/same-json.ts';
import type { Run } from '../kernel/run.ts';
import { hideSealed } from '../kernel/secrecy/sealed.ts';
import type { MemoryReads } from '../ports/memory.ts';
import type { LogReads } from '../ports/reads/logs.ts';
import type { RunRow } from '../ports/store.ts';
import { atOnce, type Compute } from './compute.ts';

/** Where two runs begin to differ, event by event, and how their results differ. */
interface RunDiff {
  readonly a: string;
  readonly b: string;
  readonly divergedAtSeq: number | null;
  readonly eventDiffs: readonly EventDiff[];
  /** How their states differ. */
  readonly stateDiff: JsonObject;
  /** True when one of the runs has not ended, or there are more differences than are listed. */
  readonly truncated: boolean;
}

interface EventDiff {
  readonly seq: number;
  readonly op: 'added' | 'removed' | 'changed';
  readonly aEvent?: RunEvent;
  readonly bEvent?: RunEvent;
}

const PAGE = 500;
const MOST_DIFFERENCES = 500;
const MEMORY_COMPARED = 1000;

type DiffReads = Pick<LogReads, 'stored' | 'events'> & Pick<MemoryReads, 'memory'>;

export async function diffRuns(
  reads: DiffReads,
  tenant: string,
  a: string,
  b: string,
  compute: Compute = atOnce,
): Promise<RunDiff | undefined> {
  const [storedA, storedB] = await Promise.all([reads.stored(tenant, a), reads.stored(tenant, b)]);
  if (storedA === undefined || storedB === undefined) return undefined;
  const runA = await compute(() => foldToRead(storedA));
  const runB = await compute(() => foldToRead(storedB));
  const eventDiffs: EventDiff[] = [];
  const cost = { a: noCost(), b: noCost() };
  let divergedAtSeq: number | null = null;
  let more = false;
  const length = Math.max(storedA.row.head, storedB.row.head);
  // Only events that the states contain are compared: a run that has not ended gets more meanwhile.
  const pageOf = ({ runId, head }: RunRow, from: number) =>
    from < head ? reads.events(tenant, runId, from, Math.min(PAGE, head - from)) : [];
  for (let from = 0; from < length; from += PAGE) {
    const [pageA, pageB] = await Promise.all([pageOf(storedA.row, from), pageOf(storedB.row, from)]);
    for (let at = 0; at < Math.max(pageA.length, pageB.length); at += 1) {
      const [aEvent, bEvent] = [parsed(pageA[at]), parsed(pageB[at])];
      addCost(cost.a, aEvent);
      addCost(cost.b, bEvent);
      const op = difference(aEvent, bEvent, [a, b]);
      if (op === undefined) continue;
      divergedAtSeq ??= from + at;
      if (eventDiffs.length >= MOST_DIFFERENCES) more = true;
      else eventDiffs.push({ seq: from + at, op, ...(aEvent && { aEvent }), ...(bEvent && { bEvent }) });
    }
    // Logs can be long, so other work is done between pages.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return hideSealed({
    a,
    b,
    divergedAtSeq,
    eventDiffs,
    stateDiff: {
      ...(await stateDiff(reads, tenant, runA, runB, cost, [storedA.row.status, storedB.row.status])),
    },
    truncated: more || !isTerminal(storedA.row.status) || !isTerminal(storedB.row.status),
  });
}

function parsed(text: string | undefined): RunEvent | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as RunEvent);
}

function difference(
  a: RunEvent | undefined,
  b: RunEvent | undefined,
  runIds: readonly string[],
): EventDiff['op'] | undefined {
  if (a === undefined) return b === undefined ? undefined : 'added';
  if (b === undefined) return 'removed';
  return essence(a, runIds) === essence(b, runIds) ? undefined : 'changed';
}

/** The content of an event without its time and without ids of runs. */
function essence({ type, nodeId, payload, runId }: RunEvent, runIds: readonly string[]): string {
  let text = JSON.stringify([type, nodeId, payload]);
  for (const id of [runId, ...runIds]) text = text.replaceAll(rootRunId(id), '');
  return text;
}

interface Cost {
  inputTokens: number;
  outputTokens: number;
  usd: number;
}

function noCost(): Cost {
  return { inputTokens: 0, outputTokens: 0, usd: 0 };
}

function addCost(cost: Cost, event: RunEvent | undefined): void {
  const payload = event?.payload as Partial<Record<string, Json>> | undefined;
  if ((event?.type as string | undefined) !== 'provider.usage' || payload === undefined) return;
  cost.inputTokens += Number(payload.inputTokens ?? 0);
  cost.outputTokens += Number(payload.outputTokens ?? 0);
  cost.usd += Number(payload.costEstimateUsd ?? 0);
}

async function stateDiff(
  reads: DiffReads,
  tenant: string,
  a: Run,
  b: Run,
  cost: { readonly a: Cost; readonly b: Cost },
  [statusA, statusB]: readonly [string, string],
): Promise<JsonObject> {
  const [memoryA, memoryB] = await Promise.all([memoryOf(reads, tenant, a), memoryOf(reads, tenant, b)]);
  return {
    ...(statusA !== statusB && { status: { a: statusA, b: statusB } }),
    variables: changes(a.variables, b.variables),
    channels: changes(a.channels, b.channels),
    memory: changes(memoryA, memoryB),
    cost: { a: { ...cost.a }, b: { ...cost.b } },
  };
}

/** The memory of a run at its end, by entry. */
async function memoryOf(reads: DiffReads, tenant: string, run: Run): Promise<JsonObject> {
  const query = { tenant, view: viewOfMemory(run.memory), now: run.at, limit: MEMORY_COMPARED };
  const rows = await reads.memory(query);
  return Object.fromEntries(rows.map(({ id, content, tags }) => [id, { content, tags: [...tags] }]));
}

function changes(a: JsonObject, b: JsonObject): JsonObject {
  const found: Record<string, Json> = {};
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [before, after] = [a[name], b[name]];
    if (before !== undefined && after !== undefined && sameJson(before, after)) continue;
    found[name] = { ...(before !== undefined && { a: before }), ...(after !== undefined && { b: after }) };
  }
  return found;
}
