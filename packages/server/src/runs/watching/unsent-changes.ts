/** The changes that a reader has not been sent yet: the newest summary of each run. */
interface UnsentChanges {
  changed(runId: string, summary: string): void;
  missed(): void;
  /** The frames to send now. Empty when there is nothing to say. */
  take(): string;
}

/** A reader that is further behind reads the list again. */
const MOST_UNSENT = 2000;

/** Begins with a `reset`, because changes before the stream are not kept. */
export function unsentChanges(): UnsentChanges {
  const newest = new Map<string, string>();
  let hasMissed = true;

  function missed(): void {
    newest.clear();
    hasMissed = true;
  }

  return {
    changed(runId, summary) {
      // A run that changed again goes to the end, so that the frames keep the order of the changes.
      newest.delete(runId);
      newest.set(runId, summary);
      if (newest.size > MOST_UNSENT) missed();
    },
    missed,
    take() {
      let frames = hasMissed ? 'event: reset\ndata: {}\n\n' : '';
      for (const summary of newest.values()) frames += `event: run\ndata: ${summary}\n\n`;
      newest.clear();
      hasMissed = false;
      return frames;
    },
  };
}
