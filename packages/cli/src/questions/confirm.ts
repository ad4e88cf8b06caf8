import { createInterface } from 'node:readline';
import { CommandFailure, wrongUsage } from '../output/command-failure.ts';
import { EXIT } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';
import { terminal } from '../terminal.ts';

/** Asks a person at the terminal. Questions are written to standard error, because the output may be a pipe. */

/** Whether the decision is made: by `--yes`, or by a person. Without a person, `--yes` is required. */
export async function confirmed({ flags }: Session, question: string): Promise<boolean> {
  if (flags.yes === true) return true;
  if (!canAsk()) {
    throw wrongUsage(
      'There is no terminal on which the decision could be confirmed, so nothing was sent.',
      'Read the question, and add --yes to decide without being asked.',
    );
  }
  return askYesNo(question);
}

/** Whether a person can be asked: the messages are shown to them, and the input is theirs. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Shows the text before a question. A person who is asked sees it with `--json`, too. */
export function showFirst({ out, flags }: Session, text: string): void {
  if (out.form === 'json' && flags.yes !== true && canAsk()) terminal.note(text);
  else out.note(text);
}

/** Only the whole words are a yes, so that nothing is decided by a key that was hit by accident. */
export async function askYesNo(question: string): Promise<boolean> {
  const answer = await askLine(`${question} [y/N] `);
  return /^\s*y(es)?\s*$/i.test(answer ?? '');
}

/** The line that the person types, or nothing if the input ends (Ctrl-D). Ctrl-C ends the command. */
export async function askLine(prompt: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise((resolve, reject) => {
      lines.once('SIGINT', () => {
        reject(
          new CommandFailure('The command was interrupted, so nothing was sent.', {
            exit: EXIT.interrupted,
            code: 'interrupted',
          }),
        );
      });
      const endOfInput = (): void => {
        process.stderr.write('\n');
        resolve(undefined);
      };
      lines.once('close', endOfInput);
      lines.question(prompt, (line) => {
        lines.off('close', endOfInput);
        resolve(line);
      });
    });
  } finally {
    lines.close();
  }
}
