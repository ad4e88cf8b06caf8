/** Joins the parts of a text, so that the log has few events for many small parts. */
interface Coalesced {
  add(chunk: string): void;
  /** The text is complete: tells the rest, and that it is the last part. */
  end(): void;
}

/** Calls back after a time, unless the returned function is called before. */
export type Later = (ms: number, callback: () => void) => () => void;

const EVERY_MS = 500;
/** A part is told earlier when it has this length. */
const MOST_CHARACTERS = 16 * 1024;

export function coalesced(tell: (chunk: string, isLast: boolean) => void, later: Later): Coalesced {
  let held = '';
  let cancel: (() => void) | undefined;
  let isTold = false;

  function flush(isLast: boolean): void {
    cancel?.();
    cancel = undefined;
    const chunk = held;
    held = '';
    isTold = true;
    tell(chunk, isLast);
  }

  return {
    add(chunk) {
      held += chunk;
      if (held.length >= MOST_CHARACTERS) flush(false);
      else cancel ??= later(EVERY_MS, () => flush(false));
    },
    end() {
      if (held !== '' || isTold) flush(true);
    },
  };
}
