import { type Slice, type SliceResult, StorageFullError, type Store } from '@baton/engine';
import type { Dice } from '../fuzz/random-choice.ts';
import type { Timeline } from './timeline.ts';

/**
 * A store that keeps what it has acknowledged and otherwise does its worst: it is slow, answers in another
 * order, is full, refuses slices without a reason, loses an acknowledgement, or its host dies just before or
 * just after a write.
 */
export interface Trouble {
  /** The process is gone. No call is answered any more. */
  dead: boolean;
  /** Until this turn no call is answered. */
  frozenUntil: number;
  /** Until this turn calls take several turns. */
  slowUntil: number;
  /** Until this turn nothing can be written. */
  fullUntil: number;
  /** What happens at the next write. */
  next: 'crash-before-commit' | 'crash-after-commit' | 'conflict' | 'lost-acknowledgement' | undefined;
}

/** The store cannot be reached, and its last answer is not known. */
export class UnreachableError extends Error {}

interface HostileOptions {
  readonly store: Store;
  readonly trouble: Trouble;
  readonly time: Timeline;
  readonly dice: Dice;
  /** The process dies. */
  readonly die: (when: string) => void;
  /** The store has answered this. `injected` are the slices that it refused without a reason. */
  readonly onCommit: (
    slices: readonly Slice[],
    results: readonly SliceResult[],
    injected: ReadonlySet<Slice>,
  ) => void;
  /** Another write than a commit was done. */
  readonly onWrite: (method: string, given: readonly unknown[]) => void;
}

type Method = (...given: unknown[]) => Promise<unknown>;

export const WRITES: ReadonlySet<string> = new Set([
  'commit',
  'putWorkflow',
  'sign',
  'claimEffects',
  'releaseEffects',
  'offerEffects',
  'leftOffers',
  'eraseRun',
  'eraseShared',
  'holdTrees',
  'releaseTree',
  'countLoss',
  'forgetLosses',
  'purgeTrees',
  'pruneMemory',
  'takeTree',
  'ringTree',
  'adoptTrees',
  'putTaskPush',
  'settleTaskPush',
  'deleteTaskPush',
  'rewrapTaskPushes',
  'putWebhook',
  'setWebhookState',
  'setWebhookKeys',
  'deleteWebhook',
  'rewrapWebhookKeys',
  'queueDeliveries',
  'settleDeliveries',
  'redeliver',
]);
const SLOWEST = 8;

export function hostileStore(options: HostileOptions): Store {
  const { store, trouble, time, dice, die } = options;

  function delay(): number {
    if (trouble.frozenUntil > time.turn) return trouble.frozenUntil - time.turn;
    return trouble.slowUntil > time.turn ? dice.below(SLOWEST) : 0;
  }

  /** The call happens at its beginning or at its end. */
  function call(perform: () => Promise<unknown>): Promise<unknown> {
    time.moved();
    if (trouble.dead) return new Promise(() => undefined);
    const turns = delay();
    if (turns === 0) return answered(perform());
    const early = dice.chance(0.5) ? settled(perform()) : undefined;
    return answered(
      new Promise((resolve, reject) => {
        const answer = () => {
          if (trouble.dead) return;
          if (trouble.frozenUntil > time.turn) time.after(trouble.frozenUntil - time.turn, answer);
          else (early ?? settled(perform())).then((end) => end(resolve, reject));
        };
        time.after(turns, answer);
      }),
    );
  }

  /** A process that has died meanwhile learns nothing. */
  function answered(result: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      settled(result).then((end) => {
        time.moved();
        if (!trouble.dead) end(resolve, reject);
      });
    });
  }

  async function write(name: string, method: Method, given: unknown[]): Promise<unknown> {
    if (trouble.fullUntil > time.turn) throw new StorageFullError();
    const { next } = trouble;
    trouble.next = undefined;
    if (next === 'crash-before-commit') die('before a write');
    if (trouble.dead) return undefined;
    const result = await (name === 'commit'
      ? commit(given[0] as readonly Slice[], next === 'conflict')
      : method(...given));
    if (name !== 'commit') options.onWrite(name, given);
    if (next === 'crash-after-commit') die('after a write');
    if (next === 'lost-acknowledgement' && name === 'commit') throw new UnreachableError();
    return result;
  }

  function commit(slices: readonly Slice[], refuses: boolean): Promise<readonly SliceResult[]> {
    const victim = refuses ? dice.pick(slices) : undefined;
    // A slice that builds on one that was refused is refused too.
    const injected = new Set(
      victim && slices.slice(slices.indexOf(victim)).filter(({ rootId }) => rootId === victim.rootId),
    );
    const left = slices.filter((slice) => !injected.has(slice));
    const stored = left.length === 0 ? Promise.resolve([]) : store.commit(left);
    return stored.then((kept) => {
      const results = slices.map((slice) =>
        injected.has(slice) ? 'conflict' : (kept[left.indexOf(slice)] as SliceResult),
      );
      options.onCommit(slices, results, injected);
      return results;
    });
  }

  const hostile = Object.entries(store).map(([name, method]: [string, Method]) => [
    name,
    (...given: unknown[]) =>
      call(() => (WRITES.has(name) ? write(name, method, given) : method.apply(store, given))),
  ]);
  // The feed is told by a stored change, and has no answer that could be late.
  const changes: Store['changes'] = (listener) =>
    store.changes((change) => {
      if (!trouble.dead) listener(change);
    });
  return { ...Object.fromEntries(hostile), changes } as Store;
}

type End = (resolve: (value: unknown) => void, reject: (problem: unknown) => void) => void;

/** Never rejects, so that it can be left alone. */
function settled(result: Promise<unknown>): Promise<End> {
  return result.then(
    (value) => (resolve) => resolve(value),
    (problem) => (_resolve, reject) => reject(problem),
  );
}
