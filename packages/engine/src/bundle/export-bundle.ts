import {
  type BundledRun,
  type BundledScope,
  isTerminal,
  type Json,
  type JsonObject,
  type RunEvent,
  type RunSnapshot,
  type RunStatus,
} from '@baton/protocol';
import { foldStored } from '../fold.ts';
import { viewOfMemory } from '../kernel/fold/evolve-fork.ts';
import type { ForkRecord, RunRow, StoreReads } from '../ports/store.ts';
import { type GatheredRun, gatherTree, ownStart } from './gather.ts';
import { MASK, maskForReaders, maskText } from './mask.ts';

/** Writes a run, everything below it and everything it rests on as one document. */

export interface BundleRequest {
  readonly row: RunRow;
  readonly snapshot: RunSnapshot;
  readonly host: { readonly name: string; readonly version: string };
  readonly now: number;
  /** Of events and of memory each. */
  readonly maxBytes: number;
}

/** Events are put into it as they are stored, so that their links still follow from them. */
export async function debugBundle(reads: StoreReads, request: BundleRequest): Promise<string> {
  const { row, snapshot, host, now, maxBytes } = request;
  const { runs, complete } = await gatherTree(reads, row, maxBytes);
  const shared = await sharedTexts(reads, row, maxBytes);
  const own = runs.find((run) => run.row.runId === row.runId)?.texts ?? [];
  const events = [...shared, ...own];
  const memory = complete ? memoryOf(reads, runs, maxBytes) : undefined;
  const whole = complete && memory !== undefined;
  const run = readableRun(snapshot, row.status);
  const head = {
    bundleVersion: '1.0',
    generatedAt: new Date(now).toISOString(),
    host,
    run,
    spans: [],
    metrics: { nodeCount: Object.keys(snapshot.nodeStates).length, eventCount: events.length },
    redactionMode: 'mask',
    ...(!whole && { truncated: true, truncatedReason: 'events_truncated_to_size_cap' }),
  };
  const tree = {
    format: 1,
    status: row.status,
    definitions: definitionsOf(reads, runs),
    memory: memory ?? [],
  };
  const bundled = runs.map((gathered) => runText(gathered, gathered.row.runId === row.runId));
  const body =
    `${JSON.stringify(head).slice(0, -1)},"events":[${events.join(',')}],` +
    `"baton":${maskText(JSON.stringify(tree)).slice(0, -1)},"runs":[${bundled.join(',')}]}`;
  return `${body},"redactionApplied":${body.includes(REDACTED)}}`;
}

/** How everything begins that was put in the place of something else, here or before it was stored. */
const REDACTED = MASK.slice(0, -1);

/** What a fork has from its source, which its readers see as its own. */
async function sharedTexts(reads: StoreReads, row: RunRow, maxBytes: number): Promise<readonly string[]> {
  const to = ownStart(row);
  const texts: string[] = [];
  let room = maxBytes;
  while (texts.length < to && room > 0) {
    const page = reads.events(row.tenant, row.runId, texts.length, Math.min(200, to - texts.length));
    if (page.length === 0) break;
    for (const text of page) {
      texts.push(maskText(text));
      room -= text.length;
    }
  }
  return texts;
}

const STATUSES: Partial<Record<RunStatus, string>> = {
  'waiting-input': 'waiting-clarification',
  'waiting-external': 'running',
  paused: 'running',
  cancelling: 'running',
};

/** The form has fewer statuses than a run; the exact one stands in `baton`. */
function readableRun(snapshot: RunSnapshot, status: RunStatus): Json {
  const masked = maskForReaders(snapshot as unknown as JsonObject) as JsonObject;
  const endedAt = isTerminal(status) ? (masked.completedAt ?? null) : null;
  return { ...masked, status: STATUSES[status] ?? status, endedAt };
}

function runText({ row, part, texts, places, steps, chain, masked }: GatheredRun, isMain: boolean): string {
  const whole = isTerminal(row.status) && ownStart(row) + texts.length === row.head;
  const record: BundledRun = {
    runId: row.runId,
    rootId: row.rootId,
    ...(row.parentRunId !== undefined && { parentRunId: row.parentRunId }),
    ...(row.parentNodeId !== undefined && { parentNodeId: row.parentNodeId }),
    part,
    principal: row.principal,
    workflowId: row.workflowId,
    workflowVersion: row.workflowVersion,
    // Nothing will ever move what is only the beginning of a run.
    status: part === 'source' && !whole ? 'cancelled' : row.status,
    tags: [...row.tags],
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ...(row.role !== undefined && { role: row.role }),
    ...(row.goalMet !== undefined && { goalMet: row.goalMet }),
    ...(row.fork !== undefined && { fork: portableFork(row.fork) }),
    places: [...places],
    ...(steps && { steps: [...steps] }),
    ...(chain !== undefined && { chain }),
    ...(masked.length > 0 && { masked: [...masked] }),
  };
  const text = maskText(JSON.stringify(record));
  return isMain ? text : `${text.slice(0, -1)},"events":[${texts.join(',')}]}`;
}

/** The definitions that the runs were started with, by the digests in their logs. */
function definitionsOf(reads: StoreReads, runs: readonly GatheredRun[]): JsonObject {
  const definitions: Record<string, Json> = {};
  for (const { row, texts } of runs) {
    const first = ownStart(row) === 0 ? texts[0] : undefined;
    const event = first === undefined ? undefined : (JSON.parse(first) as RunEvent);
    const digest = event?.type === 'run.started' ? event.payload.definition : undefined;
    const text = digest === undefined || digest in definitions ? undefined : reads.definition(digest);
    if (digest !== undefined && text !== undefined) definitions[digest] = JSON.parse(text) as Json;
  }
  return definitions;
}

/** Every scope that a run of the tree can see, as far as it can see it. Undefined when that is too much. */
function memoryOf(
  reads: StoreReads,
  runs: readonly GatheredRun[],
  maxBytes: number,
): readonly BundledScope[] | undefined {
  const wanted = new Map<string, number>();
  const tenant = runs[0]?.row.tenant ?? '';
  for (const { row, part } of runs) {
    const stored = part === 'tree' ? reads.stored(row.tenant, row.runId) : undefined;
    if (stored === undefined) continue;
    const run = foldStored(stored);
    const layers = run.workspace ? [...viewOfMemory(run.memory), run.workspace] : viewOfMemory(run.memory);
    for (const { scope, version } of layers) wanted.set(scope, Math.max(version, wanted.get(scope) ?? 0));
  }
  const scopes: BundledScope[] = [];
  let room = maxBytes;
  for (const [scope, version] of wanted) {
    const history = reads.scopeHistory(tenant, scope, version);
    if (history === undefined) continue;
    for (const entry of history.entries) room -= entry.content.length;
    if (room < 0) return undefined;
    scopes.push(history);
  }
  return scopes;
}

/** How far a replay followed is told in places of this store, and a replay that has ended follows no more. */
function portableFork({ upTo: _upTo, live, ...fork }: ForkRecord) {
  return { ...fork, live: [...live] };
}
