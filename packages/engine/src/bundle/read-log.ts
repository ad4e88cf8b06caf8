import {
  type BundledRun,
  EVENT_PAYLOADS,
  eventId,
  FIRST_LINK,
  invalid,
  parse,
  problemWith,
  type RunEvent,
  RunEventSchema,
} from '@baton/protocol';
import { sha256 } from '../audit/sha256.ts';
import { DEFAULT_LIMITS } from '../driver/limits.ts';
import { refused, storable } from './refused.ts';

/**
 * The own events of one run in a bundle. Each matches its schema and its place, and together they lead to the
 * run's link.
 */
export interface ReadLog {
  readonly run: BundledRun;
  /** The own events, as they are stored. */
  readonly texts: readonly string[];
  /** The link after each event, as on the first host. `undefined` where it is not known. */
  readonly links: readonly (string | undefined)[];
}

export function readLog(
  run: BundledRun,
  events: readonly object[],
  read: ReadonlyMap<string, ReadLog>,
): ReadLog {
  const texts = textsOf(run, events);
  const from = run.fork?.fromSeq ?? 0;
  const masked = new Map(run.masked?.map(({ sequence, link }) => [sequence, link]));
  const links: (string | undefined)[] = [];
  let link = linkBefore(read, run.fork?.sourceRunId ?? '', from);
  for (const [index, text] of texts.entries()) {
    link = masked.get(from + index) ?? (link === undefined ? undefined : sha256(link + text));
    links.push(link);
  }
  if (run.chain !== undefined && link !== run.chain) {
    throw refused(`was changed: the events of run ${run.runId} do not match its hash chain`);
  }
  return { run, texts, links };
}

/** The link before an index of a run's log. The index may lie in the part that a source wrote. */
function linkBefore(read: ReadonlyMap<string, ReadLog>, runId: string, sequence: number): string | undefined {
  let id = runId;
  for (let hops = 0; sequence > 0 && hops <= read.size; hops += 1) {
    const found = read.get(id);
    if (found === undefined) throw refused(`lacks run ${id}`);
    const { fork } = found.run;
    const from = fork?.fromSeq ?? 0;
    if (sequence > from + found.texts.length) throw refused(`lacks the end of run ${id}`);
    if (sequence > from) return found.links[sequence - from - 1];
    id = fork?.sourceRunId ?? '';
  }
  return FIRST_LINK;
}

function textsOf(run: BundledRun, events: readonly object[]): readonly string[] {
  const from = run.fork?.fromSeq ?? 0;
  if (run.places.length !== events.length)
    throw refused(`does not give a place for each event of ${run.runId}`);
  return events.map((given, index) => textOf(run.runId, from + index, given));
}

function textOf(runId: string, sequence: number, given: object): string {
  const id = eventId(runId, sequence);
  const event = parse(
    RunEventSchema,
    storable(given, `event ${id}`),
    `bundle: event ${id}`,
  ) as unknown as RunEvent;
  if (event.eventId !== id || event.runId !== runId || event.sequence !== sequence) {
    throw refused(`has event ${event.eventId} at the place of ${id}`);
  }
  // The format allows a leap second, but Date.parse does not.
  if (!Number.isFinite(Date.parse(event.timestamp))) {
    throw invalid(`bundle: event ${id}`, { field: 'timestamp', problem: 'is not a time' });
  }
  const problem = problemWith(EVENT_PAYLOADS[event.type], event.payload);
  if (problem)
    throw refused(`has an event that does not match its schema: ${id}: ${problem.field} ${problem.problem}`);
  // In the order of fields in which a host writes events, whatever the order in the bundle is.
  const { timestamp, type, nodeId, causationId, payload } = event;
  const text = JSON.stringify({
    eventId: id,
    runId,
    sequence,
    timestamp,
    type,
    nodeId,
    causationId,
    payload,
  });
  if (text.length > DEFAULT_LIMITS.eventBytes + ENVELOPE)
    throw refused(`has an event that is too large: ${id}`);
  return text;
}

/** The room for the envelope of an event, in addition to its payload. */
const ENVELOPE = 4096;
