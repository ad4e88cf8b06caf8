import type { EndedSpan } from '@baton/engine';
import type { FromEngine } from './messages.ts';

/** Sends the spans of one turn of the event loop in one message. */
export function spanMessages(say: (message: FromEngine) => void): (spans: readonly EndedSpan[]) => void {
  let waiting: EndedSpan[] = [];
  return (spans) => {
    if (waiting.length === 0) {
      setImmediate(() => {
        say({ kind: 'spans', spans: JSON.stringify(waiting) });
        waiting = [];
      });
    }
    waiting.push(...spans);
  };
}
