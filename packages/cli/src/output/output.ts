import { wantsColour } from '../settings/output-wishes.ts';
import { environment, type Flags } from '../settings/given.ts';
import { terminal } from '../terminal.ts';
import { type Paint, paintFor } from './paint.ts';

/**
 * How a command writes its results:
 * - `terminal`: for a person, may redraw lines and ask questions;
 * - `lines`: plain lines, when the output is a pipe or a file;
 * - `json`: one object a line, the result last, for `--json`.
 */
type OutputForm = 'terminal' | 'lines' | 'json';

export interface Output {
  readonly form: OutputForm;
  readonly paint: Paint;
  /** Writes a value as JSON for `--json`, else its text. An empty text writes nothing. */
  give(value: unknown, text: string): void;
  /** Writes a message for people to standard error. `--json` leaves it out. */
  note(text: string): void;
}

export function outputFor(flags: Flags): Output {
  const isTerminal = process.stdout.isTTY === true;
  const form: OutputForm = flags.json === true ? 'json' : isTerminal ? 'terminal' : 'lines';
  return outputTo(form, form !== 'json' && wantsColour(environment(), isTerminal), terminal);
}

function outputTo(
  form: OutputForm,
  colour: boolean,
  { print, note }: { print(text: string): void; note(text: string): void },
): Output {
  return {
    form,
    paint: paintFor(colour),
    give(value, text) {
      if (form === 'json') print(JSON.stringify(value));
      else if (text !== '') print(text);
    },
    note(text) {
      if (form !== 'json') note(text);
    },
  };
}
