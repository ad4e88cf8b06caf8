import type { Run } from '@baton/engine';
import type { RunEvent } from '@baton/protocol';
import type { Dice } from '../../fuzz/random-choice.ts';
import { send } from '../commands.ts';
import type { World } from '../world.ts';
import { type BookedRun, historyOf } from './booked-run.ts';

/** The replay of a finished run says the same again, and ends as the run did. */
export async function problemsWithReplay(world: World, dice: Dice): Promise<readonly string[]> {
  const { time, sent, ledger, store } = world;
  // A tree is erased run by run, and a host may have died in between.
  const erasedTrees = new Set(ledger.runs().flatMap(({ record, erased }) => (erased ? [record.rootId] : [])));
  // A run that was cancelled or set aside goes on in its replay.
  const sources = ledger
    .runs()
    .filter(
      ({ record: { runId, rootId, fork }, status, state }) =>
        runId === rootId &&
        status !== 'cancelled' &&
        !isSetAside(state) &&
        fork?.mode !== 'replay' &&
        !erasedTrees.has(rootId),
    );
  if (sources.length === 0) return [];
  const source = dice.pick(sources);
  const { runId } = source.record;
  if ((await store.run(runId))?.purgedAt !== undefined) return [];
  const caller = { tenant: source.tenant, principal: 'ana' };
  send(world, dice, { kind: 'fork-run', caller, runId, body: { mode: 'replay' } });
  const { length } = sent;
  await time.settle();
  const reply = sent[length - 1]?.reply;
  return reply?.ok && reply.value.kind === 'fork'
    ? differences(world, source, reply.value.runId)
    : [`${runId} cannot be replayed: ${JSON.stringify(reply)}`];
}

function isSetAside(run: Run | undefined): boolean {
  return run?.phase.kind === 'ended' && run.phase.error?.code === 'run_quarantined';
}

function differences({ ledger }: World, source: BookedRun, twin: string): readonly string[] {
  const { runId } = source.record;
  const problems: string[] = [];
  const logOf = (one: BookedRun | undefined) =>
    one === undefined ? [] : historyOf(one, ledger.run, one.head).texts;
  for (const run of ledger.runs()) {
    const { runId: one, rootId } = run.record;
    if (rootId !== twin) continue;
    const original = runId + one.slice(twin.length);
    const mine = logOf(run);
    const theirs = logOf(ledger.run(original));
    const at = mine.findIndex((text, index) => text.replaceAll(twin, runId) !== theirs[index]);
    if (at !== -1)
      problems.push(`the replay ${one} of ${original} differs at ${at}: ${mine[at]} and ${theirs[at]}`);
    else if (mine.length < theirs.length)
      problems.push(`the replay ${one} of ${original} stops at ${mine.length}`);
    const parting = mine.find((text) => (JSON.parse(text) as RunEvent).type === 'replay.diverged');
    if (parting !== undefined) problems.push(`${one} parted from ${original}: ${parting}`);
  }
  const ended = ledger.run(twin)?.status;
  if (ended !== source.status)
    problems.push(`${runId} was ${source.status}, and its replay ${twin} is ${ended}`);
  return problems;
}
