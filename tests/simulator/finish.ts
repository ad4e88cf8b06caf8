import { isWaiting } from '@baton/protocol';
import { type Dice, diceOf, seedOf } from '../fuzz/random-choice.ts';
import { answerOne } from './acts.ts';
import { problemsWithAudit } from './checks/audit.ts';
import { problemsWithHaste } from './checks/hastened.ts';
import { problemsWithReplay } from './checks/replays.ts';
import { liveRuns, problemsAtRest, waitsForSomething } from './checks/rest.ts';
import { problemsWithLogs } from './checks/stored-logs.ts';
import { keyOf, send } from './commands.ts';
import { GRACE_MS } from './postgres/simulated-restate.ts';
import { WAIT } from './workflows.ts';
import { complain, tell, type World } from './world.ts';

/** The end of a simulation: all faults are over, people answer, time goes on, and everything is checked. */
export async function finish(world: World): Promise<void> {
  const dice = diceOf(seedOf(world.plan.seed, 0xf1));
  endFaults(world);
  await pass(world, LONGEST_RETRY);
  await releaseHeld(world, dice);
  // On a simulated Postgres hosts adopt what others have left. Elsewhere they are not told, so each has to look once.
  if (world.postgres !== undefined) {
    for (let times = 0; times < TICKS_UNTIL_ADOPTED; times += 1) await pass(world, LONGEST_RETRY);
  } else if (world.hosts.length > 1) {
    for (const { life } of world.hosts) life?.die('to be started again');
    await pass(world, LONGEST_RETRY);
  }
  await checkAtRest(world);
  sendUnanswered(world, dice);
  await world.time.settle();
  await letFinish(world, dice);
  await checkAtRest(world);
  await cancelRest(world, dice);
  await checkAtRest(world);
  if (dice.chance(0.4)) check(world, await problemsWithReplay(world, dice));
  check(world, await problemsWithLogs(world, dice));
  if (world.plan.signs) check(world, await problemsWithAudit(world));
  check(world, neverAnswered(world));
}

/** A host whose store was full tries again after a second. */
const LONGEST_RETRY = 1100;
/**
 * Hosts are buried, their trees adopted, what Restate has lost is taken up after its grace, and what failed meanwhile
 * is tried again.
 */
const TICKS_UNTIL_ADOPTED = 3;
/** Every run that only needs answers and time has ended after so many rounds. */
const MOST_ROUNDS = 40;

function endFaults(world: World): void {
  world.faultsAreOver = true;
  if (world.restate !== undefined) {
    world.restate.endFaults();
    // Hosts look for lost offers with each tick, so a connection would break just before a check again and again.
    world.postgres?.holdConnections();
  }
  for (const { life } of world.hosts) {
    if (life === undefined) continue;
    Object.assign(life.trouble, { frozenUntil: 0, slowUntil: 0, fullUntil: 0, next: undefined });
    life.outside.findLost();
  }
}

/** No fault happens any more, so every host is up and answers. */
async function releaseHeld(world: World, dice: Dice): Promise<void> {
  for (const { rootId, tenant } of await world.store.troubledTrees()) {
    if (!world.held.has(rootId)) continue;
    send(world, dice, { kind: 'release-run', caller: { tenant, principal: 'ana' }, runId: rootId });
  }
  await world.time.settle();
}

async function pass({ time }: World, ms: number): Promise<void> {
  await time.settle();
  time.moveTo(time.now() + ms);
  await time.settle();
}

/** With a Restate, hosts look at a tree again after no time at all, for which the clock has to move. */
async function checkAtRest(world: World): Promise<void> {
  if (world.restate !== undefined) await pass(world, 1);
  check(world, await problemsAtRest(world));
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
    const runs = liveRuns(world);
    if (runs.length === 0) return;
    for (const run of runs) {
      const { status, record, tenant } = run;
      const caller = { tenant, principal: 'ana' };
      if (status === 'paused') send(world, dice, { kind: 'resume-run', caller, runId: record.runId });
      else if (isWaiting(status)) answerOne(world, dice, run);
    }
    await time.settle();
    check(world, await problemsWithHaste(world, dice));
    const next = time.nextAlarm();
    if (next !== undefined && next <= time.now() + 10 * WAIT) time.moveTo(next);
    // Time has to pass until what Restate has lost is found, also where no host has set an alarm.
    if (world.restate !== undefined) time.moveTo(time.now() + GRACE_MS / 4);
    await time.settle();
  }
}

/** Some questions need people whom the simulation does not have; then the run is cancelled. */
async function cancelRest(world: World, dice: Dice): Promise<void> {
  for (const rootId of new Set(liveRuns(world).map(({ record }) => record.rootId))) {
    if (!waitsForSomething(world, rootId)) complain(world, `${rootId} waits for nothing and has not ended`);
  }
  for (const { record, tenant } of liveRuns(world))
    send(world, dice, {
      kind: 'cancel-run',
      caller: { tenant, principal: 'ana' },
      runId: record.runId,
    });
  await world.time.settle();
  for (const { record, status } of liveRuns(world))
    complain(world, `${record.runId} does not end: ${status}`);
  tell(world, 'everything has ended');
}
