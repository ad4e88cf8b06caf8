import type { RunRow } from '@baton/engine/ports';
import { isTerminal, isWaiting } from '@baton/protocol';
import { type Dice, diceOf, seedOf } from '../fuzz/random-choice.ts';
import { answerOne } from './acts.ts';
import { problemsWithLogs } from './check-logs.ts';
import { problemsWithReplays } from './check-replays.ts';
import { problemsAtRest, waitsForSomething } from './check-rest.ts';
import { keyOf, send } from './commands.ts';
import { TENANTS, WAIT } from './plan.ts';
import { complain, tell, type World } from './world.ts';

/** The end of a simulation: all faults are over, people answer, time goes on, and everything is checked. */
export async function finish(world: World): Promise<void> {
  const dice = diceOf(seedOf(world.plan.seed, 0xf1));
  endFaults(world);
  await pass(world, LONGEST_RETRY);
  // Hosts are not told what another one has left unfinished, so each has to look once.
  if (world.hosts.length > 1) {
    for (const { life } of world.hosts) life?.die('to be started again');
    await pass(world, LONGEST_RETRY);
  }
  check(world, await problemsAtRest(world, rootsOf(await liveRows(world))));
  sendUnanswered(world, dice);
  await world.time.settle();
  await letFinish(world, dice);
  await cancelRest(world, dice);
  check(world, await problemsAtRest(world, []));
  const rows = await allRows(world);
  check(world, await problemsWithLogs(world, rows));
  if (dice.chance(0.5)) check(world, await problemsWithReplays(world, dice, rows));
  check(world, neverAnswered(world));
}

/** A host whose store was full tries again after a second. */
const LONGEST_RETRY = 1100;
/** Every run that only needs answers and time has ended after so many rounds. */
const MOST_ROUNDS = 40;

function endFaults({ hosts }: World): void {
  for (const { life } of hosts) {
    if (life === undefined) continue;
    Object.assign(life.trouble, { frozenUntil: 0, slowUntil: 0, fullUntil: 0, next: undefined });
  }
}

async function pass({ time }: World, ms: number): Promise<void> {
  await time.settle();
  time.moveTo(time.now() + ms);
  await time.settle();
}

function check(world: World, problems: readonly string[]): void {
  for (const problem of problems) complain(world, problem);
}

/** A host that lives answers every command. */
function neverAnswered({ sent, hosts }: World): readonly string[] {
  const lives = new Set(hosts.map(({ life }) => life?.number));
  return sent
    .filter(({ life, reply }) => reply === undefined && life !== undefined && lives.has(life))
    .map(({ command }) => `${command.kind} ${keyOf(command) ?? ''} was never answered`);
}

/** Whoever has had no answer asks once more. */
function sendUnanswered(world: World, dice: Dice): void {
  const answered = new Set(world.sent.flatMap(({ command, reply }) => (reply ? [keyOf(command)] : [])));
  for (const { command } of [...world.sent]) {
    const key = keyOf(command);
    if (key === undefined || answered.has(key)) continue;
    answered.add(key);
    send(world, dice, command);
  }
}

async function letFinish(world: World, dice: Dice): Promise<void> {
  const { time } = world;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const rows = await liveRows(world);
    if (rows.length === 0) return;
    for (const { status, runId, tenant } of rows) {
      const caller = { tenant, principal: 'ana' };
      if (status === 'paused') send(world, dice, { kind: 'resume-run', caller, runId });
      else if (isWaiting(status)) await answerOne(world, dice, tenant, runId);
    }
    await time.settle();
    const next = time.nextAlarm();
    if (next !== undefined && next <= time.now() + 10 * WAIT) time.moveTo(next);
    await time.settle();
  }
}

/** Some questions need people whom the simulation does not have; then the run is cancelled. */
async function cancelRest(world: World, dice: Dice): Promise<void> {
  for (const runId of rootsOf(await liveRows(world))) {
    if (!(await waitsForSomething(world, runId)))
      complain(world, `${runId} waits for nothing and has not ended`);
  }
  for (const { runId, tenant } of await liveRows(world))
    send(world, dice, { kind: 'cancel-run', caller: { tenant, principal: 'ana' }, runId });
  await world.time.settle();
  for (const { runId, status } of await liveRows(world)) complain(world, `${runId} does not end: ${status}`);
  tell(world, 'everything has ended');
}

async function allRows({ reads }: World): Promise<readonly RunRow[]> {
  const pages = await Promise.all(TENANTS.map((tenant) => reads.runs({ tenant, limit: 1000 })));
  return pages.flatMap(({ items }) => items);
}

async function liveRows(world: World): Promise<readonly RunRow[]> {
  return (await allRows(world)).filter(({ status }) => !isTerminal(status));
}

function rootsOf(rows: readonly RunRow[]): readonly string[] {
  return [...new Set(rows.map(({ rootId }) => rootId))];
}
