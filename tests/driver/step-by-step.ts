import { type Bench, type BenchOptions, handClock, startTestEngine } from './test-engine.ts';

/** Words of an event, and what is done when an event with these words is stored for the first time. */
export type Cue = readonly [words: string, act: () => void];

/**
 * Every step is a slice of its own, and the clock stands still until it is moved. What is done on a cue comes between
 * the step that was the cue and the next step of its tree.
 */
export function stepByStep(cues: readonly Cue[], options: BenchOptions = {}): Promise<Bench> {
  return startTestEngine({ clock: handClock().clock, ...options, ...steppedBy(cues) });
}

/** What makes every step a slice of its own. */
export function steppedBy(cues: readonly Cue[]): Pick<BenchOptions, 'share' | 'wrap'> {
  const awaited = new Set(cues);
  return {
    share: { events: 1, bytes: 1, ms: 0 },
    wrap: (store) => ({
      ...store,
      commit: (slices) => {
        const texts = slices.flatMap(({ runs }) => runs.flatMap((run) => run.events));
        for (const cue of [...awaited]) {
          const [words, act] = cue;
          if (!texts.some((text) => text.includes(words))) continue;
          awaited.delete(cue);
          act();
        }
        return store.commit(slices);
      },
    }),
  };
}

export function startOf(nodeId: string): string {
  return `"type":"node.started","nodeId":"${nodeId}"`;
}

export function completionOf(nodeId: string): string {
  return `"type":"node.completed","nodeId":"${nodeId}"`;
}
