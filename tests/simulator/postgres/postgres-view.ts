import { type Slice, type SliceResult, type Store, StoreUnavailableError } from '@baton/engine/ports';
import type { Dice } from '../../fuzz/random-choice.ts';
import { WRITES } from '../hostile-store.ts';
import type { Storage } from '../storage.ts';
import type { HostFeed } from './change-feeds.ts';
import type { Connection } from './connection.ts';
import type { HostTable } from './host-table.ts';
import { type Keepers, keptTrees } from './kept-trees.ts';

/** The store as one host sees it that shares a Postgres with others. */

export interface ViewOptions {
  readonly hostNo: number;
  readonly storage: Storage;
  readonly hosts: HostTable;
  readonly keepers: Keepers;
  readonly connection: Connection;
  readonly feed: HostFeed;
  readonly dice: Dice;
  /** Does one thing after the other, of all hosts. */
  readonly inOrder: <T>(work: () => Promise<T>) => Promise<T>;
  readonly onCommit: (slices: readonly Slice[], results: readonly SliceResult[]) => void;
  readonly onWrite: (method: string, given: readonly unknown[]) => void;
}

type Method = (...given: unknown[]) => Promise<unknown>;

export function postgresView(options: ViewOptions): Store {
  const { hostNo, storage, hosts, keepers, connection, feed, inOrder } = options;
  const alone = storage.newOwnStore();
  alone.changes(feed.changed);
  const shared: Store = {
    ...alone,
    ...keptTrees(storage, keepers, hostNo),
    claimEffects: (claim) => alone.claimEffects(knowingHosts(claim)),
    offerEffects: (offers) => alone.offerEffects(knowingHosts(offers)),
    leftOffers: (query) => alone.leftOffers(knowingHosts(query)),
  };
  const commit = committerOf(alone, options);

  /** The effects of all hosts at work are left to them, whether the host that asks knows them or not. */
  function knowingHosts<T extends { readonly alive: readonly string[] }>(given: T): T {
    return { ...given, alive: [...given.alive, ...hosts.list().map(String)] };
  }

  async function call(name: string, method: Method, given: unknown[]): Promise<unknown> {
    const isWrite = WRITES.has(name);
    const result = await method.apply(shared, given);
    if (isWrite) options.onWrite(name, given);
    return result;
  }

  const methods = Object.entries(shared).map(([name, method]: [string, Method]) => [
    name,
    (...given: unknown[]) => connection.ask(() => inOrder(() => call(name, method, given)), WRITES.has(name)),
  ]);
  return { ...Object.fromEntries(methods), commit, changes: feed.listen } as Store;
}

/**
 * An answer to a commit that was lost is found out once there is a connection again: the commit was stored, or it never
 * will be.
 */
function committerOf(store: Store, options: ViewOptions): Store['commit'] {
  const { hostNo, hosts, keepers, connection, feed, dice, inOrder, onCommit } = options;

  /** A later slice of a tree may have been computed from one that was not stored. */
  async function commitApart(slices: readonly Slice[]): Promise<readonly SliceResult[]> {
    const results: SliceResult[] = [];
    const fallen = new Set<string>();
    for (const slice of slices) {
      const moves = slice.runs.length > 0;
      const result = moves && fallen.has(slice.rootId) ? 'conflict' : await commitOne(slice);
      if (moves && result !== 'committed') fallen.add(slice.rootId);
      results.push(result);
    }
    onCommit(slices, results);
    feed.moved(slices.filter((_, at) => results[at] === 'committed'));
    return results;
  }

  async function commitOne(slice: Slice): Promise<SliceResult> {
    const { rootId, from, continues } = slice;
    if (!hosts.isAtWork(hostNo)) return 'conflict';
    if (continues === true && keepers.isOther(rootId, hostNo))
      return (await store.newestPlace(rootId)) === from ? 'taken' : 'conflict';
    const [result = 'conflict'] = await store.commit([slice]);
    if (result === 'committed') keepers.stored(slice, hostNo);
    return result;
  }

  return async (slices) => {
    if (connection.isOpen()) return inOrder(() => commitApart(slices));
    const results = dice.chance(0.5) ? await inOrder(() => commitApart(slices)) : undefined;
    await connection.opened();
    if (results === undefined) throw new StoreUnavailableError();
    return results;
  };
}
