import type { EngineOptions } from '@baton/engine';
import type { Alarm, Invitation, SchedulerCalls } from '@baton/engine/ports';
import { type Dice, diceOf, seedOf } from '../../fuzz/random-choice.ts';
import type { Trouble } from '../hostile-store.ts';
import type { Timeline } from '../timeline.ts';

/**
 * A scheduler that hands out effects and rings deadlines, as a Restate does for hosts that share a Postgres, and does
 * its worst: it loses what it is told, delivers it late, early, several times and to any host, is away for a while, and
 * forgets everything. Once the faults are over, it delivers everything that it still has or is told.
 */
export interface SimulatedRestate {
  /** A life of a host begins, and can be called until it hangs up. */
  connect(host: Connecting): HostLine;
  /** Everything that it was told is forgotten. */
  loseDisk(): void;
  /** For so many turns it takes nothing and calls nobody. The answers of those whom it has called are lost. */
  leave(turns: number): void;
  endFaults(): void;
  /** Whether this life of a host performs effects of this kind. */
  performs(life: number | undefined, kind: string): boolean;
  /** The keys of the effects to which this life of a host is invited, and has not answered. */
  unanswered(life: number): readonly string[];
}

interface Connecting {
  readonly life: number;
  readonly name: string;
  readonly trouble: Trouble;
  /** The kinds of effects that the host performs. */
  readonly kinds: readonly string[];
}

interface HostLine {
  readonly scheduler: NonNullable<EngineOptions['scheduler']>;
  /** The process has ended. What it was asked for is asked of another one. */
  hangUp(): void;
}

interface RestateOptions {
  readonly time: Timeline;
  readonly seed: number;
  readonly tell: (line: string) => void;
}

/** The kinds of effects in the workflows of the simulator. */
export const OFFERED_KINDS: readonly string[] = ['model.call', 'conformance.side-effect'];
/** As long as the lease of a host or longer, as on a real host. */
export const GRACE_MS = 600;

/** How often it loses what it is told, or what it wanted to ask again. */
const LOSES = 0.12;
/** How many turns it takes at most until a host is called. */
const LATEST = 30;
/** By how much its clock may be ahead. */
const AHEAD_MS = 40;
const ASKS_AGAIN_MS = 100;
const ASKS_AGAIN_MOST_MS = 1000;

/** Something that it has to do: one call of some host. */
type Task =
  | { readonly kind: 'perform'; readonly invitation: Invitation; readonly effect: string; tries: number }
  | { readonly kind: 'ring'; readonly alarm: Alarm; tries: number };

interface Line extends Connecting {
  readonly calls: SchedulerCalls;
}

/** A call that is not answered. */
interface OpenCall {
  readonly line: Line;
  readonly task: Task;
}

export function simulatedRestate({ time, seed, tell }: RestateOptions): SimulatedRestate {
  const dice = diceOf(seedOf(seed, 0x4e57));
  const { clock } = time.newClock();
  const lines = new Map<number, Line>();
  const open = new Set<OpenCall>();
  /** The number of the disk. What is on an earlier one is lost. */
  let disk = 0;
  let awayUntil = 0;
  let faultsAreOver = false;

  const isAway = () => time.turn < awayUntil;
  const loses = () => !faultsAreOver && dice.chance(LOSES);

  /** Unless the disk is lost before. */
  function unlessLost(act: () => void): () => void {
    const own = disk;
    return () => {
      if (own === disk) act();
    };
  }

  /** Takes what a host has said, which may be lost or be there several times. */
  function take(task: Task, at: number): void {
    if (isAway() || loses()) {
      tell(`Restate does not learn of ${wordsOf(task)}`);
      return;
    }
    for (let copies = faultsAreOver ? 1 : copiesOf(dice); copies > 0; copies -= 1) doAt({ ...task }, at);
  }

  function doAt(task: Task, at: number): void {
    const when = at - (dice.chance(0.2) ? dice.below(AHEAD_MS) : 0);
    if (when <= clock.now()) doSoon(task);
    else
      clock.at(
        when,
        unlessLost(() => doSoon(task)),
      );
  }

  function doSoon(task: Task): void {
    const turns = dice.chance(0.4) ? 1 : dice.between(1, LATEST);
    time.after(
      Math.max(turns, awayUntil - time.turn),
      unlessLost(() => call(task)),
    );
  }

  /** Nobody has done it. It waits longer each time. */
  function askAgain(task: Task): void {
    if (loses()) return;
    task.tries += 1;
    const waitMs = Math.min(ASKS_AGAIN_MS * 2 ** (task.tries - 1), ASKS_AGAIN_MOST_MS);
    clock.at(
      clock.now() + waitMs,
      unlessLost(() => doSoon(task)),
    );
  }

  function call(task: Task): void {
    const line = isAway() ? undefined : anyOf(dice, [...lines.values()], task, faultsAreOver);
    if (line === undefined) {
      askAgain(task);
      return;
    }
    time.moved();
    tell(`Restate asks ${line.name} to ${wordsOf(task)}`);
    const one = { line, task };
    open.add(one);
    const answered = (isDone: boolean) => {
      if (!open.delete(one)) return;
      time.moved();
      tell(`${line.name} ${isDone ? 'is done with' : 'does not'} ${wordsOf(task)}`);
      if (!isDone) askAgain(task);
    };
    asked(line.calls, task).then(answered, () => answered(false));
  }

  /** They are not answered any more, so others are called. */
  function cut(isCut: (one: OpenCall) => boolean): void {
    for (const one of [...open].filter(isCut)) {
      open.delete(one);
      doSoon(one.task);
    }
  }

  return {
    connect: (host) => ({
      scheduler: (calls, underneath) => {
        lines.set(host.life, { ...host, calls });
        return {
          ...underneath,
          wake(rootId, at) {
            underneath.wake(rootId, at);
            if (at !== null && !host.trouble.dead)
              take({ kind: 'ring', alarm: { rootId, at }, tries: 0 }, at);
          },
          handsOut: {
            kinds: host.kinds,
            isOffered: (kind) => OFFERED_KINDS.includes(kind),
            graceMs: GRACE_MS,
            offer({ key, tries, kind }, at) {
              if (host.trouble.dead) return;
              take({ kind: 'perform', invitation: { key, tries }, effect: kind, tries: 0 }, at);
            },
          },
        };
      },
      hangUp() {
        lines.delete(host.life);
        cut(({ line }) => line.life === host.life);
      },
    }),
    loseDisk() {
      tell('Restate loses its disk');
      disk += 1;
      open.clear();
    },
    leave(turns) {
      tell(`Restate is away for ${turns} turns`);
      awayUntil = Math.max(awayUntil, time.turn + turns);
      cut(() => true);
    },
    endFaults() {
      faultsAreOver = true;
      awayUntil = 0;
    },
    performs: (life, kind) => life !== undefined && lines.get(life)?.kinds.includes(kind) === true,
    unanswered: (life) =>
      [...open].flatMap(({ line, task }) =>
        line.life === life && task.kind === 'perform' ? [task.invitation.key] : [],
      ),
  };
}

/** Any host, and while there are faults even one that does not perform effects of this kind. */
function anyOf(dice: Dice, lines: readonly Line[], task: Task, faultsAreOver: boolean): Line | undefined {
  const anyone = task.kind === 'ring' || (!faultsAreOver && dice.chance(0.1));
  const fitting = lines.filter(({ kinds }) => anyone || kinds.includes(task.effect));
  return fitting.length === 0 ? undefined : dice.pick(fitting);
}

function copiesOf(dice: Dice): number {
  return dice.weigh([8, () => 1], [2, () => 2], [1, () => 3]);
}

/** Whether it is done, or will be without another call. */
async function asked(calls: SchedulerCalls, task: Task): Promise<boolean> {
  if (task.kind === 'perform') return (await calls.invited(task.invitation)) === 'over';
  await calls.rung(task.alarm);
  return true;
}

function wordsOf(task: Task): string {
  return task.kind === 'ring'
    ? `ring ${task.alarm.rootId}`
    : `perform ${task.invitation.key} (${task.invitation.tries})`;
}
