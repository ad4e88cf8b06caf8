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
