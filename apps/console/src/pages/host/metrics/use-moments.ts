import { useEffect, useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { type Moment, momentBetween, type Reading } from './moments.ts';
import { parseMetrics } from './parse-metrics.ts';

const EVERY_MS = 2_000;
const KEPT = 150;

interface Moments {
  readonly moments: readonly Moment[];
  /** Why the last reading failed. */
  readonly error?: unknown;
}

/** Reads the metrics again and again while the page is open and seen. Nothing is kept when the page is left. */
export function useMoments(): Moments {
  const [state, setState] = useState<Moments>({ moments: [] });
  useEffect(() => {
    const leave = new AbortController();
    let last: Reading | undefined;
    const read = async () => {
      if (document.visibilityState !== 'visible') return;
      try {
        const text = await baton.host.metrics({ signal: leave.signal });
        const reading: Reading = { at: Date.now(), samples: parseMetrics(text) };
        const before = last;
        last = reading;
        if (before === undefined) return;
        setState(({ moments }) => ({ moments: [...moments, momentBetween(before, reading)].slice(-KEPT) }));
      } catch (error) {
        if (!leave.signal.aborted) setState(({ moments }) => ({ moments, error }));
      }
    };
    void read();
    const timer = setInterval(() => void read(), EVERY_MS);
    return () => {
      clearInterval(timer);
      leave.abort();
    };
  }, []);
  return state;
}
