import type { Command, Loss } from '@baton/engine';
import { isTerminal, isWaiting, type Json } from '@baton/protocol';
import { pendingEffects } from '../../packages/engine/src/kernel/effects.ts';
import { answerTo } from '../fuzz/random-answers.ts';
import { type Dice, diceOf } from '../fuzz/random-choice.ts';
import type { BookedRun } from './checks/booked-run.ts';
import { liveRuns } from './checks/rest.ts';
import { keyOf, send } from './commands.ts';
import { type Act, type Step, TENANTS } from './plan.ts';
import { LEASE_MS } from './postgres/host-table.ts';
import type { Life } from './simulated-host.ts';
import { GATED, NESTED, PATIENT, STUBBORN, WAIT } from './workflows.ts';
import { tell, type World } from './world.ts';

/** What each step of a plan does. A step that finds nothing to do does nothing. */
export async function perform(world: World, { act, seed }: Step): Promise<void> {
  const dice = diceOf(seed);
  const tenant = dice.pick(TENANTS);
  await ACTS[act](world, dice, tenant);
}

type Acting = (world: World, dice: Dice, tenant: string) => void | Promise<void>;

const ACTS: Readonly<Record<Act, Acting>> = {
  create,
  answer,
  cancel: onRun((runId, caller) => ({ kind: 'cancel-run', caller, runId }), isRoot),
  'cancel-child': onRun(
    (runId, caller) => ({ kind: 'cancel-run', caller, runId }),
    (one) => !isRoot(one),
  ),
  pause: onRun((runId, caller, dice) => {
    const drainPolicy = dice.pick(['immediate', 'drain-current-node'] as const);
    return { kind: 'pause-run', caller, runId, drainPolicy };
  }),
  resume: onRun(
    (runId, caller) => ({ kind: 'resume-run', caller, runId }),
    ({ status }) => status === 'paused',
  ),
  branch: onRun(fork('branch'), () => true),
  replay: onRun(fork('replay'), () => true),
  retry: onRun(
    (runId, caller) => ({ kind: 'retry-run', caller, runId, body: {} }),
    ({ status }) => status === 'failed',
  ),
  erase: onRun(
    (runId, caller) => ({ kind: 'erase-run', caller, runId, reason: 'as asked' }),
    (one) => isRoot(one) && isTerminal(one.status),
  ),
  release: onRun(
    (runId, caller) => ({ kind: 'release-run', caller, runId }),
    ({ record }, { held }) => held.has(record.runId),
  ),
  again,
  register(world, dice, tenant) {
    const definition = dice.pick(world.family.later) as never;
    send(world, dice, {
      kind: 'register-workflow',
      caller: callerOf(dice, tenant),
      definition,
      shared: false,
    });
  },
  file(world, dice, tenant) {
    const file = { workspace: 'default', path: 'a.md', content: 'by somebody', contentType: 'text/plain' };
    send(world, dice, { kind: 'put-file', caller: callerOf(dice, tenant), ...file });
  },
  'delete-file'(world, dice, tenant) {
    const file = { workspace: 'default', path: 'a.md' };
    send(world, dice, { kind: 'delete-file', caller: callerOf(dice, tenant), ...file });
  },
  time({ time }, dice) {
    const alarm = time.nextAlarm() ?? time.now();
    const near = Math.min(alarm, time.now() + WAIT);
    time.moveTo(dice.chance(0.5) ? near : time.now() + dice.between(0, WAIT));
  },
  crash: onHost((life) => life.die('at an arbitrary moment')),
  'crash-before-commit': onHost(({ trouble }) => {
    trouble.next = 'crash-before-commit';
  }),
  'crash-after-commit': onHost(({ trouble }) => {
    trouble.next = 'crash-after-commit';
  }),
  'lost-acknowledgement': onHost(({ trouble }) => {
    trouble.next = 'lost-acknowledgement';
  }),
  'lose-tree': onHost((life, world, dice) => {
    const live = liveRuns(world).filter(isRoot);
    const how = dice.pick(['lost', 'stalled'] as const);
    const losses: readonly Loss[] = live.length === 0 ? [] : [{ rootId: dice.pick(live).record.runId, how }];
    life.die('while it computed a tree', losses);
  }),
  conflict: onHost(({ trouble }) => {
    trouble.next = 'conflict';
  }),
  slow: onHost(({ trouble }, { time }, dice) => {
    trouble.slowUntil = time.turn + dice.between(10, 200);
  }),
  full: onHost(({ trouble }, { time }, dice) => {
    trouble.fullUntil = time.turn + dice.between(2, 30);
  }),
  'pause-host': onHost(({ trouble, member }, { time }, dice) => {
    const turns = dice.between(10, 60);
    trouble.frozenUntil = time.turn + turns;
    time.after(dice.between(1, turns - 5), () => time.moveTo(time.now() + LEASE_MS + 100));
    member?.tickAfter(turns + dice.between(1, 5));
  }),
  disconnect: onHost(({ member }, _world, dice) => member?.lose(dice.between(2, 60))),
  'lose-feed': onHost(({ member }, _world, dice) => member?.loseFeed(dice.between(2, 60))),
  'restart-database': ({ postgres }, dice) => postgres?.restart(dice),
  drain: onHost((life) => life.drain()),
  'lose-restate': ({ restate }) => restate?.loseDisk(),
  'leave-restate': ({ restate }, dice) => restate?.leave(dice.between(5, 80)),
  hasten(world, dice) {
    const waiting = world.ledger.runs().filter(({ state }) => state && pendingEffects(state).length > 0);
    if (waiting.length > 0)
      send(world, dice, { kind: 'hasten-effects', runId: dice.pick(waiting).record.runId });
  },
  freeze: onHost(({ trouble }, { time }, dice) => {
    trouble.frozenUntil = time.turn + dice.between(5, 60);
  }),
};

const callerOf = (dice: Dice, tenant: string) => ({ tenant, principal: dice.pick(['ana', 'bo', 'cy']) });

function isRoot({ record }: BookedRun): boolean {
  return record.parentRunId === undefined;
}

/** Some commands carry a key, so that they can be sent again. */
function keyed<C extends Command>(world: World, dice: Dice, command: C): C {
  if (!dice.chance(0.6)) return command;
  world.count.keys += 1;
  const key = `key-${world.count.keys}`;
  return { ...command, idempotency: { key, request: key } };
}

function create(world: World, dice: Dice, tenant: string): void {
  const { family, plan } = world;
  const body = {
    workflowId: dice.weigh(
      [6, () => family.root],
      [1.5, () => 'middle'],
      [1.5, () => GATED],
      [1, () => STUBBORN],
      [1.5, () => NESTED],
      // Most workflows have few effects, and there is little to hand out.
      [plan.restate ? 8 : 0, () => PATIENT],
    ),
    inputs: family.inputs as Record<string, Json>,
    configurable: family.configurable,
    ...dice.some(0.25, { scopeId: 'desk' }),
  } as never;
  send(world, dice, keyed(world, dice, { kind: 'create-run', caller: callerOf(dice, tenant), body }));
}

function onRun(
  make: (runId: string, caller: { tenant: string; principal: string }, dice: Dice, world: World) => Command,
  fits: (one: BookedRun, world: World) => boolean = ({ status }) => !isTerminal(status),
): Acting {
  return (world, dice) => {
    const fitting = world.ledger.runs().filter((one) => fits(one, world));
    if (fitting.length === 0) return;
    const { record, tenant } = dice.pick(fitting);
    const command = make(record.runId, callerOf(dice, tenant), dice, world);
    send(world, dice, keyed(world, dice, command));
  };
}

function fork(mode: 'branch' | 'replay'): Parameters<typeof onRun>[0] {
  return (runId, caller, dice, { ledger }) => {
    const fromSeq = dice.below((ledger.run(runId)?.head ?? 0) + (mode === 'replay' ? 1 : 0));
    return { kind: 'fork-run', caller, runId, body: { mode, fromSeq } as never };
  };
}

function answer(world: World, dice: Dice): void {
  const waiting = world.ledger.runs().filter(({ status }) => isWaiting(status));
  if (waiting.length > 0) answerOne(world, dice, dice.pick(waiting));
}

/** Answers one open question of the run, if it has one. */
export function answerOne(world: World, dice: Dice, { record, tenant, state }: BookedRun): void {
  const { runId } = record;
  const open = Object.values(state?.interrupts ?? {});
  if (open.length === 0) return;
  const one = dice.pick(open);
  const { principal, scopes, value } = answerTo(dice, one);
  const target = dice.chance(0.5) ? { nodeId: one.nodeId } : { interruptId: one.key };
  const answer: Command = {
    kind: 'resolve-interrupt',
    caller: { tenant, principal },
    runId,
    target,
    resumeValue: value,
    viaToken: false,
    scopes,
  };
  send(world, dice, keyed(world, dice, answer));
}

/** Somebody sends a command with a key again, whether it was answered or not. */
function again(world: World, dice: Dice): void {
  const keyedOnes = world.sent.filter(({ command }) => keyOf(command) !== undefined);
  if (keyedOnes.length > 0) send(world, dice, dice.pick(keyedOnes).command);
}

function onHost(harm: (life: Life, world: World, dice: Dice) => void): Acting {
  return (world, dice) => {
    const { name, life } = dice.pick(world.hosts);
    if (life === undefined) return;
    tell(world, `harm to ${name}`);
    harm(life, world, dice);
  };
}
