import { useEffect, useMemo, useState } from 'react';
import { useTreeLater } from '../follow/run-context.tsx';
import { type Filtered, goOn, type LogFilter, newFiltered } from '../model/filter.ts';

/** One share of the search. Between shares the browser can draw and answer to people. */
const SHARE_MS = 6;

/** The positions of the events that a filter lets through. They grow as the log does. */
export function useFiltered(filter: LogFilter): {
  readonly matches: readonly number[];
  readonly isSearching: boolean;
} {
  const { tree, version } = useTreeLater();
  const filtered = useMemo<Filtered>(() => newFiltered(filter), [filter]);
  const [, setSeen] = useState(0);
  const [isSearching, setSearching] = useState(false);
  // A new version of the tree has more events.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const work = (): void => {
      const end = performance.now() + SHARE_MS;
      const isLeft = goOn(filtered, tree, () => performance.now() > end);
      setSeen(filtered.upTo);
      setSearching(isLeft);
      if (isLeft) timer = setTimeout(work, 0);
    };
    work();
    return () => clearTimeout(timer);
  }, [filtered, tree, version]);
  return { matches: filtered.matches, isSearching };
}
