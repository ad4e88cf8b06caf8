import { type EngineOptions, type LocalEngine, openVault, type Slice, startEngine } from '@baton/engine';
import { CONFORMANCE } from '@baton/engine/conformance';
import { diceOf, seedOf } from '../fuzz/random-choice.ts';
import { repeatUnanswered } from './commands.ts';
import { hostileStore, type Trouble } from './hostile-store.ts';
import { type Outside, outsideOf } from './outside.ts';
import { complain, tell, type World } from './world.ts';

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
  /** The process is gone from one moment to the next. */
  die(how: string): void;
}

/** Without this key a host could not open what another life of it has sealed. */
const SEALING_KEY = new Uint8Array(32).fill(1);
type Ids = NonNullable<EngineOptions['ids']>;

const SECRETS = new Map([['*', new Map([['word', 'tides']])]]);
/** The longest time, in turns, until a host that has died is started again. */
const LONGEST_DEATH = 20;

/** Ids of root runs follow from their number, and stand in the order of time as those of a real host. */
function idsOf({ count }: World): Ids {
  return {
    rootRunId() {
      count.roots += 1;
      return `00000000-0000-7000-8000-${String(count.roots).padStart(12, '0')}`;
    },
  };
}

export function begin(world: World, host: SimulatedHost): void {
  const { plan, time, storage, ledger } = world;
  world.count.lives += 1;
  const number = world.count.lives;
  const dice = diceOf(seedOf(plan.seed ^ 0x11_fe, number));
  const { clock, drop } = time.newClock();
  const trouble: Trouble = { dead: false, frozenUntil: 0, slowUntil: 0, fullUntil: 0, next: undefined };
  const outside = outsideOf(world, host.name, trouble, number);
  const die = (how: string) => {
    if (trouble.dead) return;
    tell(world, `${host.name} dies ${how}`);
    trouble.dead = true;
    drop();
    host.life = undefined;
    time.after(dice.between(1, LONGEST_DEATH), () => begin(world, host));
    repeatUnanswered(world, number, dice);
  };
  const store = hostileStore({
    store: storage.newStore(),
    trouble,
    time,
    dice,
    die,
    onCommit(slices, results, injected) {
      for (const [at, slice] of slices.entries())
        tell(world, `${host.name} commits ${wordsOf(slice)}: ${results[at]}`);
      const alone = plan.hosts === 1;
      for (const problem of ledger.enter(slices, results, injected, alone)) complain(world, problem);
    },
  });
  tell(world, `${host.name} starts`);
  void startEngine({
    store,
    clock,
    effects: outside,
    ids: idsOf(world),
    random: dice.next,
    elapsed: () => 0,
    share: plan.share,
    alwaysRefold: plan.refolds,
    conformance: CONFORMANCE,
    vault: openVault(SECRETS, SEALING_KEY),
    onFatal: (problem) => complain(world, `${host.name} failed: ${problem}`),
    onLog: (_level, message, fields) => noteLog(world, message, fields),
  }).then((engine) => {
    if (trouble.dead) return undefined;
    host.life = { number, trouble, outside, engine, die };
    return engine.recover();
  });
}

/** Lines that a host may write when the store is full, or when half of a character was replaced. */
const HARMLESS = /the store is full|half of a character/;

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
