import {
  createContext,
  type ReactNode,
  startTransition,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { baton } from '../../../api/baton.ts';
import { observable } from '../../../observable.ts';
import { type Lit, litBy } from '../model/causes.ts';
import type { Tree } from '../model/tree.ts';
import { type Following, type TreeStore, treeStore } from './tree-store.ts';

interface RunViews {
  readonly store: TreeStore;
  readonly moment: Moment;
  readonly pointed: Pointed;
}

const Context = createContext<RunViews | undefined>(undefined);

/** Follows a run and its descendants over one connection, for all views of the page. */
export function RunFollower({ runId, children }: { readonly runId: string; readonly children: ReactNode }) {
  const views = useMemo(() => {
    const store = treeStore(runId);
    return { store, moment: momentOf(store), pointed: pointedIn(store) };
  }, [runId]);
  useEffect(() => {
    const leaving = new AbortController();
    void views.store.follow(baton.run(runId).tree({ signal: leaving.signal }), leaving.signal);
    return () => leaving.abort();
  }, [runId, views]);
  return <Context value={views}>{children}</Context>;
}

export function useRunViews(): RunViews {
  const views = useContext(Context);
  if (views === undefined) throw new Error('This part is used outside of a run page.');
  return views;
}

/** The tree. The caller is drawn again when events were added; `version` then has another value. */
export function useTree(): { readonly tree: Tree; readonly version: number; readonly following: Following } {
  const { store } = useRunViews();
  const version = useSyncExternalStore(store.subscribe, store.version);
  return { tree: store.tree, version, following: store.following() };
}

/**
 * The tree, for views that take long to draw: the browser draws them in pieces and answers to people in between. They
 * may be a little behind.
 */
export function useTreeLater(): { readonly tree: Tree; readonly version: number } {
  const { store } = useRunViews();
  const [version, setVersion] = useState(store.version);
  useEffect(() => {
    const follow = (): void => startTransition(() => setVersion(store.version()));
    follow();
    return store.subscribe(follow);
  }, [store]);
  return { tree: store.tree, version };
}

/** The position that is shown, or -1 before the first event. */
export function usePosition(): number {
  const { moment } = useRunViews();
  return useSyncExternalStore(moment.subscribe, moment.position);
}

export function useIsLive(): boolean {
  const { moment } = useRunViews();
  return useSyncExternalStore(moment.subscribe, moment.isLive);
}

/** A value at the moment that is shown. The caller is drawn again only when the value is another one. */
export function useAtMoment<Value>(read: (tree: Tree, position: number) => Value): Value {
  const { store, moment } = useRunViews();
  return useSyncExternalStore(moment.subscribe, () => read(store.tree, moment.position()));
}

/** The event that is pointed at, with its causes and effects. */
export function useLit(): Lit | undefined {
  const { pointed } = useRunViews();
  return useSyncExternalStore(pointed.subscribe, pointed.lit);
}

/** The moment that the page shows: the position of an event, or the newest event as long as nobody chooses one. */
interface Moment {
  /** The position of the event, or -1 before the first one. */
  position(): number;
  isLive(): boolean;
  /** Chooses a position; `undefined` follows the newest event. */
  set(position: number | undefined): void;
  subscribe(listener: () => void): () => void;
}

function momentOf(store: TreeStore): Moment {
  const chosen = observable<number | undefined>(undefined);
  const newest = (): number => store.tree.entries.length - 1;
  return {
    position: () => Math.min(chosen.get() ?? newest(), newest()),
    isLive: () => chosen.get() === undefined,
    set: (position) => chosen.set(position === undefined ? undefined : Math.max(0, position)),
    subscribe(listener) {
      const leave = chosen.subscribe(listener);
      const leaveStore = store.subscribe(listener);
      return () => {
        leave();
        leaveStore();
      };
    },
  };
}

/** The event that the pointer or the focus is on, whose causes and effects are lit up in every view. */
interface Pointed {
  /** The event with its causes and effects. The same object until another event is pointed at. */
  lit(): Lit | undefined;
  set(position: number | undefined): void;
  subscribe(listener: () => void): () => void;
}

function pointedIn(store: TreeStore): Pointed {
  const lit = observable<Lit | undefined>(undefined);
  return {
    lit: lit.get,
    set(position) {
      if (position === lit.get()?.position) return;
      lit.set(position === undefined ? undefined : litBy(store.tree, position));
    },
    subscribe: lit.subscribe,
  };
}
