import { isDeepStrictEqual } from 'node:util';
import { foldStored, foldTexts } from '@baton/engine';
import type { RunRow } from '@baton/engine/ports';
import { FIRST_LINK, isTerminal, type RunEvent } from '@baton/protocol';
import { extendLink } from '../../packages/engine/src/audit/sha256.ts';
import { mergesWithoutPermission } from './check-merges.ts';
import type { World } from './world.ts';

/** What must be true of every stored log, at any moment. */
export async function problemsWithLogs(world: World, rows: readonly RunRow[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const row of rows) {
    const texts = await world.reads.events(row.tenant, row.runId, 0, 1_000_000);
    const events = texts.map((text) => JSON.parse(text) as RunEvent);
    for (const problem of [
      ...problemsWithShape(row, events),
      ...(await problemsWithState(world, row, texts)),
      ...twiceEnded(events),
      ...(await mergesWithoutPermission(world, events)),
      ...strangeChildren(row, events, rows),
    ])
      problems.push(`${row.runId}: ${problem}`);
  }
  return problems;
}

const ENDS: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled']);

function problemsWithShape({ head, status }: RunRow, events: readonly RunEvent[]): readonly string[] {
  const problems: string[] = [];
  const gap = events.findIndex(({ sequence }, at) => sequence !== at);
  if (gap !== -1) problems.push(`event ${gap} has the sequence ${events[gap]?.sequence}`);
  if (events.length !== head) problems.push(`has ${events.length} events, and its row says ${head}`);
  const end = events.findIndex(({ type }) => ENDS.has(type));
  if (end !== -1 && end !== events.length - 1) problems.push(`goes on after its end at ${end}`);
  if ((end !== -1) !== isTerminal(status)) problems.push(`is ${status}, and its end is at ${end}`);
  return problems;
}

/** The served state is the fold over the whole log, and the hash chain agrees with it. */
async function problemsWithState(
  world: World,
  row: RunRow,
  texts: readonly string[],
): Promise<readonly string[]> {
  const stored = await world.reads.stored(row.tenant, row.runId);
  if (stored === undefined) return ['cannot be read'];
  const problems: string[] = [];
  const whole = foldTexts(undefined, texts, stored.savedState === undefined ? stored.forks : []);
  if (!isDeepStrictEqual(foldStored(stored), whole))
    problems.push('is served in a state that its log does not give');
  if (row.chain !== extendLink(FIRST_LINK, texts)) problems.push('has another hash chain than its log');
  return problems;
}

/** An execution of a node ends once, so the outcome of an effect is recorded once. */
function twiceEnded(events: readonly RunEvent[]): readonly string[] {
  const open = new Set<string>();
  const problems: string[] = [];
  for (const { type, nodeId, sequence } of events) {
    if (nodeId === undefined) continue;
    if (type === 'node.started') open.add(nodeId);
    else if (type === 'node.completed' && !open.delete(nodeId))
      problems.push(`node ${nodeId} completed at ${sequence} without having started again`);
    else if (type === 'node.failed' || type === 'node.cancelled' || type === 'node.retried')
      open.delete(nodeId);
  }
  return problems;
}

/** Children are numbered without gaps, each began once, and each has the parent that it names. */
function strangeChildren(
  row: RunRow,
  events: readonly RunEvent[],
  rows: readonly RunRow[],
): readonly string[] {
  const problems: string[] = [];
  const starts = events.filter(({ type }) => type === 'run.started').length;
  if (starts !== 1) problems.push(`began ${starts} times`);
  const children = rows.filter(({ parentRunId }) => parentRunId === row.runId);
  if (new Set(children.map(({ runId }) => runId)).size !== children.length)
    problems.push('has a child twice');
  const begun = events.flatMap((event) =>
    event.type === 'node.dispatched' ? [event.payload.childRunId] : [],
  );
  if (new Set(begun).size !== begun.length) problems.push(`began a child twice: ${begun}`);
  return problems;
}
