import type { Store } from '../../../engine/src/ports/store.ts';

/**
 * A store whose answers come late and in another order than they were asked for, as those of a store on
 * another machine do. Writes keep their order: each waits for the one before.
 */
interface DelayingOptions {
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Waits for a moment. The numbers are between 0 and 1: a call with a smaller one may still end later. */
  readonly wait: (share: number) => Promise<void>;
}

type Methods = Record<string, (...given: unknown[]) => Promise<unknown>>;

/** Methods of a store that change nothing, so that they may overtake each other. */
const READS: ReadonlySet<string> = new Set([
  'loadTree',
  'run',
  'storedRun',
  'storedRunAt',
  'placedEvents',
  'stepBoundary',
  'newestPlace',
  'headAt',
  'unfinished',
  'due',
  'nextWake',
  'replyFor',
  'bytesOf',
  'isRegistered',
  'workflow',
  'definition',
  'treeOf',
  'forksOf',
  'hasErasedRun',
  'memory',
  'scope',
  'troubledTrees',
]);

export function delayingStore(store: Store, options: DelayingOptions): Store {
  let writes: Promise<unknown> = Promise.resolve();
  const delayed = late(store as unknown as Methods, options, (name, call) => {
    if (READS.has(name)) return call();
    const next = writes.then(call, call);
    writes = next.catch(() => undefined);
    return next;
  });
  return { ...(delayed as unknown as Store), changes: store.changes };
}

/** The call is made only after the wait, so that a caller which does not wait for the answer misses it. */
function late(
  methods: Methods,
  { random, wait }: DelayingOptions,
  carryOut: (name: string, call: () => Promise<unknown>) => Promise<unknown>,
): Methods {
  const delayed: Methods = {};
  for (const [name, method] of Object.entries(methods)) {
    delayed[name] = async (...given) => {
      await wait(random());
      const answer = await carryOut(name, () => method.apply(methods, given));
      await wait(random());
      return answer;
    };
  }
  return delayed;
}
