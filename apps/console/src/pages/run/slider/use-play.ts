import { useEffect, useState } from 'react';
import { useRunViews } from '../follow/run-context.tsx';

const TICK_MS = 120;
/** However long a log is, it is played in about this many steps. */
const MOST_STEPS = 200;

/** Moves the moment forward by itself, until the newest event is reached. */
export function usePlay(): { readonly isPlaying: boolean; toggle(): void } {
  const { store, moment } = useRunViews();
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => {
      const newest = store.tree.entries.length - 1;
      const next = moment.position() + Math.max(1, Math.round(newest / MOST_STEPS));
      if (next < newest) return moment.set(next);
      moment.set(undefined);
      setPlaying(false);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [isPlaying, store, moment]);
  const toggle = (): void => {
    // A moment at the end has nothing to play, so it begins again.
    if (!isPlaying && moment.position() >= store.tree.entries.length - 1) moment.set(0);
    setPlaying(!isPlaying);
  };
  return { isPlaying, toggle };
}
