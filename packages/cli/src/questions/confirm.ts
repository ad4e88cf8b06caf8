import type { Session } from '../session.ts';

/** Asks a person at a terminal. `--yes` and outputs that are no terminal answer the question with yes. */
export async function confirmed({ out, flags }: Session, question: string): Promise<boolean> {
  if (flags.yes === true || !canAsk(out.form)) return true;
  const { confirm } = await import('@clack/prompts');
  return (await confirm({ message: question, initialValue: false })) === true;
}

/** Whether a person can be asked: the output is shown to them, and the input is theirs. */
export function canAsk(form: Session['out']['form']): boolean {
  return form === 'terminal' && process.stdin.isTTY === true;
}
