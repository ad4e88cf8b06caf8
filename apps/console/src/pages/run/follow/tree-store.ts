import type { OutputChunk, RunEvent, TreeItem } from '@baton/client';
import { announcer } from '../../../observable.ts';
import { foldEvent } from '../model/fold.ts';
import { newTree, type Tree } from '../model/tree.ts';

/** How long one share of folding takes at most, and how often the page is drawn again while events come in. */
const SHARE_MS = 8;
const PAUSE_MS = 50;
/** While a long log is read, its readers are told less often, because drawing takes longer than folding. */
const BUSY_PAUSE_MS = 250;

export type Following =
  | { readonly kind: 'following' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A tree that grows. Its readers are told after a number of events, not after each. */
export interface TreeStore {
  readonly tree: Tree;
  readonly texts: LiveTexts;
  /** Changes whenever the tree has changed. */
  version(): number;
  following(): Following;
  subscribe(listener: () => void): () => void;
  /** Follows the stream until the signal is aborted. */
  follow(items: AsyncIterable<TreeItem>, signal: AbortSignal): Promise<void>;
}

export function treeStore(rootId: string): TreeStore {
  const tree = newTree(rootId);
  const texts = newLiveTexts();
  const changes = announcer();
  const waiting: TreeItem[] = [];
  let version = 0;
  let following: Following = { kind: 'following' };
  let isPlanned = false;
  let told = 0;

  const tell = (): void => {
    version += 1;
    told = performance.now();
    changes.tell();
  };
  const take = (item: TreeItem): void => {
    if (item.kind === 'chunk') texts.add(item.chunk);
    else {
      // The first events of a fork name its source; in this tree they belong to the fork.
      const event = item.event.runId === item.runId ? item.event : { ...item.event, runId: item.runId };
      foldEvent(tree, event);
      texts.settle(event);
    }
  };
  const plan = (delay: number): void => {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(work, delay);
  };
  const work = (): void => {
    isPlanned = false;
    const end = performance.now() + SHARE_MS;
    let taken = 0;
    while (taken < waiting.length && performance.now() < end) {
      const item = waiting[taken];
      if (item !== undefined) take(item);
      taken += 1;
    }
    waiting.splice(0, taken);
    const isBusy = waiting.length > 0;
    if (!isBusy || performance.now() - told >= BUSY_PAUSE_MS) tell();
    if (isBusy) plan(0);
  };
  const end = (next: Following): void => {
    following = next;
    tell();
  };

  return {
    tree,
    texts,
    version: () => version,
    following: () => following,
    subscribe: changes.subscribe,
    async follow(items, signal) {
      try {
        for await (const item of items) {
          if (signal.aborted) return;
          waiting.push(item);
          plan(version === 0 ? 0 : PAUSE_MS);
        }
        if (!signal.aborted) end({ kind: 'ended' });
      } catch (error) {
        if (!signal.aborted) end({ kind: 'failed', error });
      }
    },
  };
}

/** The longest end of a text that is kept while a model writes it. */
const KEPT = 600;

interface LiveText {
  readonly runId: string;
  readonly nodeId: string;
  /** Counts the parts, of which each is about one token. */
  readonly parts: number;
  readonly end: string;
}

/** The texts that models are writing now. They are shown until the log holds them. */
interface LiveTexts {
  add(chunk: OutputChunk): void;
  /** An event of a node that says that its text is recorded. */
  settle(event: RunEvent): void;
  all(): readonly LiveText[];
}

function newLiveTexts(): LiveTexts {
  const texts = new Map<string, LiveText>();
  const key = (runId: string, nodeId: string): string => `${runId}|${nodeId}`;
  return {
    add({ runId, nodeId, chunk }) {
      const before = texts.get(key(runId, nodeId));
      const end = `${before?.end ?? ''}${chunk}`.slice(-KEPT);
      texts.set(key(runId, nodeId), { runId, nodeId, parts: (before?.parts ?? 0) + 1, end });
    },
    settle({ type, runId, nodeId }) {
      if (nodeId === undefined) return;
      const isSettled =
        type === 'baton.effect.settled' ||
        type === 'agent.decided' ||
        type === 'node.completed' ||
        type === 'node.failed' ||
        type === 'node.cancelled';
      if (isSettled) texts.delete(key(runId, nodeId));
    },
    all: () => [...texts.values()],
  };
}
