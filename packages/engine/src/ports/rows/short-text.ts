/**
 * The text of an event repeats what its row knows: the id of the run, the sequence, and in many fields the id of
 * the root. Rows hold a shorter text, from which the text is restored when it is read. Example, with the mark
 * written as ①, for event 5 of run `R.1`:
 *
 *   {"eventId":"R.1:5","runId":"R.1","sequence":5,"timestamp":"T","type":"node.started","causationId":"R:3",…
 *   "T","type":"node.started","causationId":"①:3",…
 *
 * The mark is a control character, which a JSON text never contains. A text that does not begin as above is
 * stored as it is.
 */

/** The quotation mark before the time. The text of an event begins with a brace. */
const SHORT = '"';
const ROOT = '\u0001';
/** Before a text that begins with `SHORT` or with this character itself. */
const AS_IT_IS = '\u0002';

/** Shorter ids would not make a text shorter. */
const SHORTEST_ROOT = 8;

function rootOf(runId: string): string {
  const dot = runId.indexOf('.');
  return dot === -1 ? runId : runId.slice(0, dot);
}

/** The constant parts at the beginning of the texts of a run. The sequence is between them. */
function partsOf(runId: string): readonly [string, string, string] {
  return [`{"eventId":"${runId}:`, `","runId":"${runId}","sequence":`, ',"timestamp":"'];
}

/** Shortens the texts of one run. Compares in place, because it is called for every event that is stored. */
export function shortener(runId: string): (text: string, sequence: number) => string {
  const root = rootOf(runId);
  if (root.length < SHORTEST_ROOT) return asItIs;
  const [beforeId, beforeSequence, beforeTime] = partsOf(runId);
  return (text, sequence) => {
    const digits = String(sequence);
    const afterId = beforeId.length + digits.length;
    const afterSequence = afterId + beforeSequence.length + digits.length;
    const fits =
      text.startsWith(beforeId) &&
      text.startsWith(digits, beforeId.length) &&
      text.startsWith(beforeSequence, afterId) &&
      text.startsWith(digits, afterSequence - digits.length) &&
      text.startsWith(beforeTime, afterSequence) &&
      !text.includes(ROOT);
    if (!fits) return asItIs(text);
    return text.slice(afterSequence + beforeTime.length - SHORT.length).replaceAll(root, ROOT);
  };
}

function asItIs(text: string): string {
  return text.startsWith(SHORT) || text.startsWith(AS_IT_IS) ? AS_IT_IS + text : text;
}

/** The text of an event from its row. */
export function restored(stored: string, runId: string, sequence: number): string {
  if (stored.startsWith(AS_IT_IS)) return stored.slice(AS_IT_IS.length);
  if (!stored.startsWith(SHORT)) return stored;
  const [beforeId, beforeSequence, beforeTime] = partsOf(runId);
  const rest = stored.slice(SHORT.length).replaceAll(ROOT, rootOf(runId));
  return `${beforeId}${sequence}${beforeSequence}${sequence}${beforeTime}${rest}`;
}
