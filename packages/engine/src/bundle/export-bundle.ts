import { setImmediate } from 'node:timers/promises';
import {
  FIRST_LINK,
  isoTime,
  isTerminal,
  type Json,
  type JsonObject,
  type RunEvent,
  type RunSnapshot,
  type RunStatus,
  TRUNCATED,
} from '@baton/protocol';
import { sha256 } from '../audit/sha256.ts';
import type { SigningKey } from '../audit/signing-key.ts';
import type { Redactor } from '../kernel/secrecy/redaction.ts';
import type { FiledEventReads, ScopeHistoryReads } from '../ports/reads/audit.ts';
import type { LogReads } from '../ports/reads/logs.ts';
import type { RunReads } from '../ports/reads/runs.ts';
import type { DefinitionReads } from '../ports/reads/workflows.ts';
import type { RunRow } from '../ports/store.ts';
import { bundledMemory } from './bundle-memory.ts';
import { bundleRecord } from './bundle-record.ts';
import { maskForReaders } from './mask.ts';
import { proofText, signProof } from './proof.ts';
import { type Told, toldBy } from './told.ts';
import { ownStart, type WantedRun, wantedRuns } from './wanted-runs.ts';
import { logWriter, type Room } from './write-log.ts';

/** Writes a run, its descendants and the sources of its forks as one document, piece by piece. */

type BundleReads = Pick<LogReads, 'events' | 'storedAt'> &
  Pick<RunReads, 'run'> &
  FiledEventReads &
  ScopeHistoryReads &
  DefinitionReads;

/** `row`, `descendants` and `snapshot` are of the same moment, so that they all tell of the same events. */
interface BundleRequest {
  readonly row: RunRow;
  /** All descendants, or `MAX_BUNDLED_RUNS` of them when there are more. */
  readonly descendants: readonly RunRow[];
  readonly snapshot: RunSnapshot;
  readonly host: { readonly name: string; readonly version: string };
  readonly now: number;
  /** The bound for events, and also the bound for memory. */
  readonly maxBytes: number;
  readonly redactor?: Redactor | undefined;
  /** Signs the bundle. */
  readonly key?: SigningKey;
}

/** Events are written as they are stored, so that a reader can recompute their links. */
export async function* debugBundle(reads: BundleReads, request: BundleRequest): AsyncGenerator<string> {
  const { row, maxBytes, redactor, key } = request;
  const told = toldBy(redactor);
  const { runs, complete } = await wantedRuns(reads, row, request.descendants);
  const writer = logWriter(reads, told, runs);
  const proof = proofText(row.runId);
  const room: Room = { left: maxBytes };
  let whole = complete;
  let sound = true;
  let count = 0;

  yield `${told.json(JSON.stringify(headOf(request))).slice(0, -1)},"events":[`;
  for await (const texts of sharedPages(reads, row, maxBytes, told, writer.know)) {
    yield listed(texts, count);
    count += texts.length;
  }
  const main = runs.find((wanted) => wanted.row.runId === row.runId) as WantedRun;
  const mainLog = writer.write(main, room);
  for await (const texts of mainLog.pages) {
    yield listed(texts, count);
    count += texts.length;
  }

  yield `],"baton":{"format":1,"status":${JSON.stringify(row.status)},"runs":[`;
  const digests = new Set<string>();
  for (const [index, wanted] of runs.entries()) {
    if (index > 0) yield ',';
    const writing = wanted === main ? mainLog : writer.write(wanted, room);
    if (wanted !== main) {
      yield '{"events":[';
      let own = 0;
      for await (const texts of writing.pages) {
        yield listed(texts, own);
        own += texts.length;
      }
      yield '],';
    }
    const log = writing.log();
    whole &&= log.complete;
    sound &&= log.sound;
    const record = told.json(JSON.stringify(bundleRecord(wanted, log)));
    proof.addRun(record, log.told);
    yield wanted === main ? record : record.slice(1);
    const digest = await digestOf(reads, wanted.row);
    if (digest !== undefined) digests.add(digest);
  }

  yield '],"definitions":{';
  let written = 0;
  for (const digest of digests) {
    const definition = await reads.definition(digest);
    if (definition === undefined) continue;
    yield `${written++ === 0 ? '' : ','}${JSON.stringify(digest)}:${told.json(definition)}`;
  }
  yield '},"memory":[';
  const memory = whole ? bundledMemory(reads, runs, maxBytes) : [];
  let scopes = 0;
  for await (const history of memory) {
    if (history === 'too-large') {
      whole = false;
      break;
    }
    const text = told.json(JSON.stringify(history));
    proof.addScope(text);
    yield scopes++ === 0 ? text : `,${text}`;
  }

  const rows = await Promise.all(runs.map(({ row: { tenant, runId } }) => reads.run(tenant, runId)));
  const erased = rows.some(wasRemoved);
  if (erased) whole = false;
  const tail = {
    metrics: { nodeCount: Object.keys(request.snapshot.nodeStates).length, eventCount: count },
    ...(!whole && { truncated: true, truncatedReason: TRUNCATED[erased ? 'erased' : 'tooLarge'] }),
    redactionApplied: told.redacted(),
    ...(whole && sound && key && { batonProof: signProof(proof, key) }),
  };
  yield `]},${JSON.stringify(tail).slice(1)}`;
}

/**
 * Pages are read one after the other, so a run can be erased or purged between two of them. Then the bundle says
 * that it is not whole. A transaction around all reads would keep the erased data in the write-ahead log meanwhile.
 */
function wasRemoved(row: RunRow | undefined): boolean {
  return row === undefined || row.erasedAt !== undefined || row.purgedAt !== undefined;
}

function listed(texts: readonly string[], before: number): string {
  if (texts.length === 0) return '';
  return before === 0 ? texts.join(',') : `,${texts.join(',')}`;
}

function headOf({ row, snapshot, host, now }: BundleRequest): JsonObject {
  return {
    bundleVersion: '1.0',
    generatedAt: isoTime(now),
    host,
    run: readableRun(snapshot, row.status),
    spans: [],
    redactionMode: 'mask',
  };
}

const STATUSES: Partial<Record<RunStatus, string>> = {
  'waiting-input': 'waiting-clarification',
  'waiting-external': 'running',
  paused: 'running',
  cancelling: 'running',
};

/** The bundle format has fewer statuses than a run. The exact status is in `baton`. */
function readableRun(snapshot: RunSnapshot, status: RunStatus): Json {
  const masked = maskForReaders(snapshot as unknown as JsonObject) as JsonObject;
  const endedAt = isTerminal(status) ? (masked.completedAt ?? null) : null;
  return { ...masked, status: STATUSES[status] ?? status, endedAt };
}

const AT_ONCE = 200;

/** The events that a fork shares with its source. Readers see them as events of the fork. */
async function* sharedPages(
  reads: BundleReads,
  row: RunRow,
  maxBytes: number,
  told: Told,
  know: (runId: string, sequence: number, link: string) => void,
): AsyncGenerator<readonly string[]> {
  const to = ownStart(row);
  let link = FIRST_LINK;
  let room = maxBytes;
  let at = 0;
  while (at < to && room > 0) {
    const page = await reads.events(row.tenant, row.runId, at, Math.min(AT_ONCE, to - at));
    if (page.length === 0) return;
    for (const text of page) {
      link = sha256(link + text);
      room -= text.length;
    }
    at += page.length;
    yield page.map(told.event);
    await setImmediate();
  }
  if (at === to && row.fork) know(row.fork.sourceRunId, to, link);
}

/** The definition that a run was started with. */
async function digestOf(reads: FiledEventReads, row: RunRow): Promise<string | undefined> {
  if (ownStart(row) > 0) return undefined;
  const [first] = await reads.filedEvents(row.runId, 0, 1);
  const event = first && (JSON.parse(first.text) as RunEvent);
  return event?.type === 'run.started' ? event.payload.definition : undefined;
}
