import { isDeepStrictEqual } from 'node:util';
import { foldStored } from '@baton/engine';
import type { RunRow } from '@baton/engine/ports';
import { isTerminal } from '@baton/protocol';
import type { Dice } from '../../fuzz/random-choice.ts';
import { TENANTS } from '../plan.ts';
import type { World } from '../world.ts';
import { type BookedRun, historyOf } from './booked-run.ts';

/**
 * The store has exactly the runs that the ledger has, with the same hash chains. Some are read: they have the
 * log of the ledger, and are served in the state that follows from it.
 */
export async function problemsWithLogs(world: World, dice: Dice): Promise<readonly string[]> {
  const problems: string[] = [];
  const whole = world.ledger.runs().filter((run) => !run.erased);
  const read = new Set(whole.length === 0 ? [] : [dice.pick(whole), dice.pick(whole)]);
  const rows = new Map((await allRows(world)).map((row) => [row.runId, row]));
  for (const run of world.ledger.runs()) {
    const { runId } = run.record;
    const row = rows.get(runId);
    rows.delete(runId);
    const found = await problemsWith(world, run, row, read.has(run));
    problems.push(...found.map((problem) => `${runId} ${problem}`));
  }
  for (const runId of rows.keys()) problems.push(`${runId} is listed, and was never stored`);
  return problems;
}

async function allRows({ reads }: World): Promise<readonly RunRow[]> {
  const pages = await Promise.all(TENANTS.map((tenant) => reads.runs({ tenant, limit: 1000 })));
  return pages.flatMap(({ items }) => items);
}

async function problemsWith(
  world: World,
  run: BookedRun,
  row: RunRow | undefined,
  isRead: boolean,
): Promise<readonly string[]> {
  if (row === undefined) return ['is not listed'];
  const problems: string[] = [];
  if (row.status !== run.status || row.head !== run.head || row.chain !== run.link)
    problems.push(`is ${run.status} with ${run.head} events, and listed as ${row.status} with ${row.head}`);
  if ((row.erasedAt !== undefined) !== run.erased) problems.push('is not erased as was asked');
  if (row.purgedAt !== undefined) return [...problems, ...purgedTooEarly(world, run)];
  return isRead ? [...problems, ...(await problemsWithLog(world, run))] : problems;
}

async function problemsWithLog({ ledger, reads }: World, run: BookedRun): Promise<readonly string[]> {
  const { runId } = run.record;
  const stored = await reads.stored(run.tenant, runId);
  if (stored === undefined) return ['cannot be read'];
  const texts = await reads.events(run.tenant, runId, 0, 1_000_000);
  const problems: string[] = [];
  if (!isDeepStrictEqual(texts, historyOf(run, ledger.run, run.head).texts))
    problems.push('has another log than the one that was stored');
  if (!isDeepStrictEqual(foldStored(stored), { ...run.state, tenant: run.tenant }))
    problems.push('is served in a state that its log does not give');
  return problems;
}

/** A log is removed only with its whole tree, and no log of a fork begins in it. */
function purgedTooEarly({ ledger }: World, { record }: BookedRun): readonly string[] {
  const inTree = ledger.runs().filter((other) => other.record.rootId === record.rootId);
  const live = inTree.find(({ status }) => !isTerminal(status));
  return live === undefined ? [] : [`was removed, and ${live.record.runId} of its tree is ${live.status}`];
}
