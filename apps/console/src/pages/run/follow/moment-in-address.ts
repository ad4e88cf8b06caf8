import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { RunSearch } from '../../../search.ts';
import { positionOf } from '../model/at.ts';
import { idBelow } from '../model/runs.ts';
import type { Tree } from '../model/tree.ts';
import { useRunViews } from './run-context.tsx';

/** The address is written when the moment has not moved for this long. */
const PAUSE_MS = 300;

type Place = Pick<RunSearch, 'at' | 'in'>;

/** Keeps the moment in the address of the page, so that a link shows what its sender saw. */
export function useMomentInAddress(): void {
  const { store, moment } = useRunViews();
  const search = useSearch({ from: '/runs/$runId' });
  const navigate = useNavigate({ from: '/runs/$runId' });
  const written = useRef<string>('');

  useEffect(() => {
    const place = { at: search.at, in: search.in };
    if (textOf(place) === written.current) return;
    if (search.at === undefined) {
      written.current = '';
      moment.set(undefined);
      return;
    }
    // The events up to the one that the address names may still be on their way.
    const show = (): boolean => {
      const position = positionIn(store.tree, place);
      if (position === undefined) return false;
      written.current = textOf(place);
      moment.set(position);
      return true;
    };
    if (show()) return;
    const leave = store.subscribe(() => show() && leave());
    return leave;
  }, [store, moment, search.at, search.in]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = (): void => {
      const place = moment.isLive() ? {} : placeOf(store.tree, moment.position());
      if (textOf(place) === written.current) return;
      written.current = textOf(place);
      void navigate({
        search: ({ at: _at, in: _in, ...rest }: RunSearch) => ({ ...rest, ...place }),
        replace: true,
        resetScroll: false,
      });
    };
    let wasLive = moment.isLive();
    const leave = moment.subscribe(() => {
      // New events move a moment that follows them, and the address stays as it is.
      if (wasLive && moment.isLive()) return;
      wasLive = moment.isLive();
      clearTimeout(timer);
      timer = setTimeout(write, PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [store, moment, navigate]);
}

function textOf({ at, in: below = '' }: Place): string {
  return at === undefined ? '' : `${at}${below}`;
}

function positionIn(tree: Tree, { at, in: below = '' }: Place): number | undefined {
  return at === undefined ? undefined : positionOf(tree.runs.get(`${tree.rootId}${below}`), at);
}

function placeOf(tree: Tree, position: number): Place {
  const event = tree.entries[position]?.event;
  if (event === undefined) return {};
  const below = idBelow(tree, event.runId);
  return { at: event.sequence, ...(below !== '' && { in: below }) };
}
