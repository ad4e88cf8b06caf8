/**
 * The text of an event repeats what its row knows: the id of the run, the sequence, and in many fields the id of
 * the root. Rows hold a shorter text, from which the text is restored when it is read. Example, with the marks
 * written as ① and ②, for event 5 of run `R.1`:
 *
 *   {"eventId":"R.1:5","runId":"R.1","sequence":5,"timestamp":"T","type":"node.started","causationId":"R:3",…
 *   ①Tnode.started","causationId":"②:3",…
 *
 * The marks are control characters, which a JSON text never contains. A text that does not begin as above, such as
 * that of an imported run, is stored as it is; so were all texts before schema version 15.
 */

const SHORT = '\u0001';
const ROOT = '\u0002';
/** Before a text that begins with a mark itself. */
const AS_IT_IS = '\u0003';

const TIMESTAMP_LENGTH = '2026-01-01T00:00:00.000Z'.length;
const BEFORE_TYPE = '","type":"';

/** Shorter ids would not make a text shorter. */
const SHORTEST_ROOT = 8;

function rootOf(runId: string): string {
  const dot = runId.indexOf('.');
  return dot === -1 ? runId : runId.slice(0, dot);
}

function beginning(runId: string, sequence: number): string {
  return `{"eventId":"${runId}:${sequence}","runId":"${runId}","sequence":${sequence},"timestamp":"`;
}

/** Shortens the texts of one run. */
export function shortener(runId: string): (text: string, sequence: number) => string {
  const root = rootOf(runId);
  if (root.length < SHORTEST_ROOT) return asItIs;
  return (text, sequence) => {
    const start = beginning(runId, sequence);
    const type = start.length + TIMESTAMP_LENGTH;
    if (!text.startsWith(start) || !text.startsWith(BEFORE_TYPE, type) || text.includes(ROOT))
      return asItIs(text);
    const rest = text.slice(type + BEFORE_TYPE.length).replaceAll(root, ROOT);
    return SHORT + text.slice(start.length, type) + rest;
  };
}

function asItIs(text: string): string {
  return text < '\u0004' && text !== '' ? AS_IT_IS + text : text;
}

/** The text of an event from its row. */
export function restored(stored: string, runId: string, sequence: number): string {
  if (stored.startsWith(AS_IT_IS)) return stored.slice(1);
  if (!stored.startsWith(SHORT)) return stored;
  const type = SHORT.length + TIMESTAMP_LENGTH;
  const rest = stored.slice(type).replaceAll(ROOT, rootOf(runId));
  return beginning(runId, sequence) + stored.slice(SHORT.length, type) + BEFORE_TYPE + rest;
}
