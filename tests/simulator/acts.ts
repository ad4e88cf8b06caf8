import { type Command, foldStored } from '@baton/engine';
import type { RunRow } from '@baton/engine/ports';
import { isTerminal, isWaiting, type Json } from '@baton/protocol';
import { answerTo } from '../fuzz/random-answers.ts';
import { type Dice, diceOf } from '../fuzz/random-choice.ts';
import { keyOf, send } from './commands.ts';
import { type Act, GATED, type Step, TENANTS, WAIT } from './plan.ts';
import type { Life } from './simulated-host.ts';
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
  retry: onRun((runId, caller) => ({ kind: 'retry-run', caller, runId, body: {} }), hasFailed),
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
  conflict: onHost(({ trouble }) => {
    trouble.next = 'conflict';
  }),
  slow: onHost(({ trouble }, { time }, dice) => {
    trouble.slowUntil = time.turn + dice.between(10, 200);
  }),
  full: onHost(({ trouble }, { time }, dice) => {
    trouble.fullUntil = time.turn + dice.between(2, 30);
  }),
  freeze: onHost(({ trouble }, { time }, dice) => {
    trouble.frozenUntil = time.turn + dice.between(5, 60);
  }),
};

const callerOf = (dice: Dice, tenant: string) => ({ tenant, principal: dice.pick(['ana', 'bo', 'cy']) });

type RunInList = Pick<RunRow, 'runId' | 'tenant' | 'status'>;

async function runsOf({ reads }: World): Promise<readonly RunInList[]> {
  const pages = await Promise.all(TENANTS.map((tenant) => reads.runs({ tenant, limit: 200 })));
  return pages.flatMap(({ items }) => items);
}

function isRoot({ runId }: RunInList): boolean {
  return !runId.includes('.');
}

function hasFailed({ status }: RunInList): boolean {
  return status === 'failed';
}

/** Some commands carry a key, so that they can be sent again. */
function keyed<C extends Command>(world: World, dice: Dice, command: C): C {
  if (!dice.chance(0.6)) return command;
  world.count.keys += 1;
  const key = `key-${world.count.keys}`;
  return { ...command, idempotency: { key, request: key } };
}

function create(world: World, dice: Dice, tenant: string): void {
  const { family } = world;
  const body = {
    workflowId: dice.weigh([6, () => family.root], [2, () => 'middle'], [2, () => GATED]),
    inputs: family.inputs as Record<string, Json>,
    configurable: family.configurable,
    ...dice.some(0.25, { scopeId: 'desk' }),
  } as never;
  send(world, dice, keyed(world, dice, { kind: 'create-run', caller: callerOf(dice, tenant), body }));
}

function onRun(
  make: (runId: string, caller: { tenant: string; principal: string }, dice: Dice, world: World) => Command,
  fits: (one: RunInList) => boolean = ({ status }) => !isTerminal(status),
): Acting {
  return async (world, dice) => {
    const fitting = (await runsOf(world)).filter(fits);
    if (fitting.length === 0) return;
    const { runId, tenant } = dice.pick(fitting);
    const command = make(runId, callerOf(dice, tenant), dice, world);
    send(world, dice, keyed(world, dice, command));
  };
}

function fork(mode: 'branch' | 'replay'): Parameters<typeof onRun>[0] {
  return (runId, caller, dice, { ledger }) => {
    const fromSeq = dice.below(ledger.head(runId) + (mode === 'replay' ? 1 : 0));
    return { kind: 'fork-run', caller, runId, body: { mode, fromSeq } as never };
  };
}

async function answer(world: World, dice: Dice): Promise<void> {
  const waiting = (await runsOf(world)).filter(({ status }) => isWaiting(status));
  if (waiting.length === 0) return;
  const { tenant, runId } = dice.pick(waiting);
  await answerOne(world, dice, tenant, runId);
}

/** Answers one open question of the run, if it has one. */
export async function answerOne(world: World, dice: Dice, tenant: string, runId: string): Promise<void> {
  const stored = await world.reads.stored(tenant, runId);
  const open = Object.values((stored && foldStored(stored).interrupts) ?? {});
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
