import { CONFORMANCE } from '@baton/conformance/engine';
import {
  type LocalEngine,
  type Loss,
  newSigningKey,
  openVault,
  type Slice,
  StorageFullError,
  signingKey,
  startEngine,
} from '@baton/engine';
import { type ErasureRecord, StoreUnavailableError, type WorkflowRecord } from '@baton/engine/ports';
import { isTerminal, type WorkflowDefinition } from '@baton/protocol';
import { diceOf, seedOf } from '../fuzz/random-choice.ts';
import { repeatUnanswered } from './commands.ts';
import { retire } from './drain.ts';
import { hostileStore, type Trouble, UnreachableError } from './hostile-store.ts';
import { type Outside, outsideOf } from './outside.ts';
import type { Member } from './postgres/simulated-postgres.ts';
import { OFFERED_KINDS } from './postgres/simulated-restate.ts';
import { complain, newRootId, tell, type World } from './world.ts';

/** A host that can die and start again. Each start is a life of its own, with nothing in memory. */
export interface SimulatedHost {
  readonly name: string;
  life: Life | undefined;
}

export interface Life {
  readonly number: number;
  readonly trouble: Trouble;
  readonly outside: Outside;
  readonly engine: LocalEngine;
  /** Its place among the hosts of a simulated Postgres. */
  readonly member: Member | undefined;
  /** It takes no commands any more, because it is about to stop. */
  draining: boolean;
  /** The process is gone from one moment to the next. The next life is told of the losses. */
  die(how: string, losses?: readonly Loss[]): void;
  /** Finishes what is under way and stops. Another host takes its place. */
  drain(): void;
}

/** With other keys a host could not open what another life of it has sealed, nor go on with its audit log. */
export const AUDIT_KEY = signingKey(newSigningKey(), 'the simulator');
const VAULT = openVault(new Map([['*', new Map([['word', 'tides']])]]), new Uint8Array(32).fill(1));
/** The longest time, in turns, until a host that has died is started again. */
const LONGEST_DEATH = 20;

export function begin(world: World, host: SimulatedHost, losses: readonly Loss[] = []): void {
  const { plan, time, storage } = world;
  world.count.lives += 1;
  const number = world.count.lives;
  const dice = diceOf(seedOf(plan.seed ^ 0x11_fe, number));
  const { clock, drop } = time.newClock();
  const trouble: Trouble = { dead: false, frozenUntil: 0, slowUntil: 0, fullUntil: 0, next: undefined };
  const outside = outsideOf(world, host.name, trouble, number);
  const end = (how: string, next: readonly Loss[] = []) => {
    if (trouble.dead) return;
    tell(world, `${host.name} ${how}`);
    trouble.dead = true;
    drop();
    line?.hangUp();
    host.life = undefined;
    time.after(dice.between(1, LONGEST_DEATH), () => begin(world, host, next));
    repeatUnanswered(world, number, dice);
  };
  const die = (how: string, next: readonly Loss[] = []) => {
    member?.die();
    end(`dies ${how}`, next);
  };
  const noCommit: ReadonlySet<Slice> = new Set();
  const member = world.postgres?.join({
    trouble,
    clock,
    dice,
    onHostGone: () => void host.life?.engine.adopt(),
    alwaysLooks: plan.restate,
    onLost: () => die('because others have taken over its work'),
    onCommit: (slices, results) => noteCommit(world, host, slices, results, noCommit),
    onWrite: (method, given) => noteWrite(world, method, given),
  });
  const store = hostileStore({
    store: member?.store ?? storage.newStore(),
    trouble,
    time,
    dice,
    die,
    // A commit to the simulated Postgres may be stored long before it is answered, and is noted there.
    onCommit: (...noted) => member ?? noteCommit(world, host, ...noted),
    onWrite: (...noted) => member ?? noteWrite(world, ...noted),
  });
  const line = world.restate?.connect({
    ...{ life: number, name: host.name, trouble },
    kinds: host === world.hosts[0] ? OFFERED_KINDS : kindsOf(plan.seed, number),
  });
  let hasRecovered = false;
  tell(world, `${host.name} starts`);
  void startEngine({
    store,
    clock: member?.clock ?? clock,
    effects: outside,
    ownership: member?.ownership ?? { owner: ownerOf(number), alive: () => ownersAlive(world) },
    ids: { rootRunId: () => newRootId(world) },
    random: dice.next,
    elapsed: () => 0,
    share: plan.share,
    alwaysRefold: plan.refolds,
    extension: CONFORMANCE,
    vault: VAULT,
    ...(plan.signs && { auditKey: AUDIT_KEY }),
    ...(plan.retention && { retention: plan.retention }),
    ...(line && { scheduler: line.scheduler }),
    onFatal(problem) {
      const isExpected =
        problem instanceof UnreachableError ||
        problem instanceof StorageFullError ||
        // A host that loses the database while it starts is started again.
        (!hasRecovered && problem instanceof StoreUnavailableError);
      if (!isExpected) complain(world, `${host.name} failed: ${problem}`);
      die('of a failure of the store');
    },
    onLog: (_level, message, fields) => noteLog(world, message, fields),
  }).then(
    (engine) => {
      if (trouble.dead) return undefined;
      const drain = () => retire(world, host, () => end('stops in order'), dice);
      host.life = { number, trouble, outside, engine, member, draining: false, die, drain };
      return engine.recover(losses).then(() => {
        hasRecovered = true;
      });
    },
    (problem) => {
      const isExpected = problem instanceof StorageFullError || problem instanceof StoreUnavailableError;
      if (!isExpected) complain(world, `${host.name} does not start: ${problem}`);
      die('at its start', losses);
    },
  );
}

/** The first host performs effects of all kinds, and another one perhaps only of one kind or none. */
function kindsOf(seed: number, life: number): readonly string[] {
  const dice = diceOf(seedOf(seed ^ 0x4e57, life));
  return dice.chance(0.7) ? OFFERED_KINDS : OFFERED_KINDS.filter(() => dice.chance(0.5));
}

/** Each life is an owner of its own, because the effects of a life end with it. */
function ownerOf(life: number): string {
  return `life ${life}`;
}

function ownersAlive({ hosts }: World): readonly string[] {
  return hosts.flatMap(({ life }) => (life === undefined ? [] : [ownerOf(life.number)]));
}

type Entry = Parameters<World['ledger']['enter']>;

function noteCommit(
  world: World,
  { name }: SimulatedHost,
  slices: readonly Slice[],
  results: Entry[1],
  injected: Entry[2],
): void {
  const alone = world.plan.hosts === 1;
  for (const [at, slice] of slices.entries()) {
    tell(world, `${name} commits ${wordsOf(slice)}: ${results[at]}`);
    // Another host is not told that a tree is held.
    if (alone && results[at] === 'committed' && movesHeld(world, slice))
      complain(world, `${slice.rootId} went on while it was held`);
  }
  for (const problem of world.ledger.enter(slices, results, injected, alone)) complain(world, problem);
}

/** A held tree can only be ended. */
function movesHeld({ held }: World, { rootId, runs }: Slice): boolean {
  return held.has(rootId) && runs.some(({ status }) => !isTerminal(status));
}

function noteWrite({ ledger, held }: World, method: string, given: readonly unknown[]): void {
  const [first] = given;
  if (method === 'putWorkflow') {
    const { digest, definition } = first as WorkflowRecord;
    ledger.learn(digest, JSON.parse(definition) as WorkflowDefinition);
  }
  if (method === 'holdTrees') for (const rootId of first as readonly string[]) held.add(rootId);
  if (method === 'releaseTree') held.delete(first as string);
  const erased = method === 'eraseRun' ? ledger.run((first as ErasureRecord).runId) : undefined;
  if (erased !== undefined) erased.erased = true;
}

/** Lines that a host may write when it meets what the simulation does to it. */
const HARMLESS =
  /the store is full|the store cannot be reached|half of a character|the engine was lost|a tree is held|were removed/;

function noteLog(world: World, message: string, fields: Record<string, unknown>): void {
  if (!HARMLESS.test(message)) complain(world, `${message} ${JSON.stringify(fields)}`);
}

/** The slice in one line: which events of which runs. */
function wordsOf({ rootId, runs }: Slice): string {
  const events = runs.map(({ runId, events: texts }) => `${runId.slice(rootId.length)} ${texts.map(typeOf)}`);
  return `${rootId} [${events.join('; ')}]`;
}

function typeOf(text: string): string {
  return /"type":"([^"]+)"/.exec(text)?.[1] ?? '?';
}
