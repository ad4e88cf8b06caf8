/** Results go to standard output, so that scripts can use them; everything said to people goes beside it. */
export interface Terminal {
  print(text: string): void;
  note(text: string): void;
}

export const terminal: Terminal = {
  print: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
};
