import { environment, type Flags } from '../settings/given.ts';
import { wantsColour } from '../settings/output-wishes.ts';
import { type Terminal, terminal } from '../terminal.ts';
import { type Paint, paintFor } from './paint.ts';
import { printable, printableWithColours } from './printable.ts';

/**
 * How a command writes its results:
 * - `terminal`: for a person, may redraw lines;
 * - `lines`: plain lines, when the output is a pipe, a file, or a terminal that cannot redraw lines (`TERM=dumb`);
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
  const redraws = isTerminal && environment().TERM !== 'dumb';
  const form: OutputForm = flags.json === true ? 'json' : redraws ? 'terminal' : 'lines';
  return outputTo(form, form !== 'json' && wantsColour(environment(), isTerminal), terminal);
}

export function outputTo(form: OutputForm, colour: boolean, { print, note }: Terminal): Output {
  return {
    form,
    paint: paintFor(colour),
    give(value, text) {
      if (form === 'json') print(printable(JSON.stringify(value)));
      else if (text !== '') print(printableWithColours(text));
    },
    note(text) {
      if (form !== 'json') note(printableWithColours(text));
    },
  };
}
