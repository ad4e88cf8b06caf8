/** `print` writes results to standard output, `note` writes messages for people to standard error. */
export interface Terminal {
  print(text: string): void;
  note(text: string): void;
}

export const terminal: Terminal = {
  print: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
};
