import { environment, type Flags } from '../settings/given.ts';
import { wantsColour } from '../settings/output-wishes.ts';
import { type Terminal, terminal } from '../terminal.ts';
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

/** Colours of a terminal. Without colour, every function returns the text as it is. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export function paintFor(colour: boolean): Paint {
  const with_ = (name: keyof typeof CODES) => {
    const [on, off] = CODES[name];
    return (text: string) => (colour && text !== '' ? `\x1b[${on}m${text}\x1b[${off}m` : text);
  };
  return {
    bold: with_('bold'),
    dim: with_('dim'),
    red: with_('red'),
    green: with_('green'),
    yellow: with_('yellow'),
    cyan: with_('cyan'),
  };
}
