import type { RunRow } from '@baton/engine/ports';
import type { RunEvent } from '@baton/protocol';
import type { Dice } from '../fuzz/random-choice.ts';
import { send } from './commands.ts';
import type { World } from './world.ts';

/** So many runs of a simulation are replayed. */
const MOST_REPLAYS = 1;

/** The replay of a finished run says the same again, and ends as the run did. */
export async function problemsWithReplays(
  world: World,
  dice: Dice,
  rows: readonly RunRow[],
): Promise<readonly string[]> {
  const { time, sent } = world;
  // A run that was cancelled goes on in its replay.
  const sources = rows.filter(
    ({ runId, rootId, status, fork }) =>
      runId === rootId && status !== 'cancelled' && fork?.mode !== 'replay',
  );
  const problems: string[] = [];
  for (let count = 0; count < MOST_REPLAYS && sources.length > 0; count += 1) {
    const [source] = sources.splice(dice.below(sources.length), 1) as [RunRow];
    const { runId, tenant } = source;
    send(world, dice, {
      kind: 'fork-run',
      caller: { tenant, principal: 'ana' },
      runId,
      body: { mode: 'replay' },
    });
    await time.settle();
    const reply = sent.at(-1)?.reply;
    if (!reply?.ok || reply.value.kind !== 'fork')
      problems.push(`${runId} cannot be replayed: ${JSON.stringify(reply)}`);
    else problems.push(...(await differences(world, source, reply.value.runId)));
  }
  return problems;
}

async function differences({ reads }: World, source: RunRow, twin: string): Promise<readonly string[]> {
  const { tenant, runId, status } = source;
  const { items } = await reads.runs({ tenant, limit: 1000 });
  const problems: string[] = [];
  for (const { runId: one, rootId } of items) {
    if (rootId !== twin) continue;
    const original = runId + one.slice(twin.length);
    const mine = await logOf(reads, tenant, one);
    const theirs = await logOf(reads, tenant, original);
    const at = mine.findIndex((text, index) => text.replaceAll(twin, runId) !== theirs[index]);
    if (at !== -1)
      problems.push(`the replay ${one} of ${original} differs at ${at}: ${mine[at]} and ${theirs[at]}`);
    else if (mine.length < theirs.length)
      problems.push(`the replay ${one} of ${original} stops at ${mine.length}`);
    const parting = mine.find((text) => (JSON.parse(text) as RunEvent).type === 'replay.diverged');
    if (parting !== undefined) problems.push(`${one} parted from ${original}: ${parting}`);
  }
  const ended = items.find((row) => row.runId === twin)?.status;
  if (ended !== status) problems.push(`${runId} was ${status}, and its replay ${twin} is ${ended}`);
  return problems;
}

async function logOf(reads: World['reads'], tenant: string, runId: string): Promise<readonly string[]> {
  return reads.events(tenant, runId, 0, 100_000);
}
