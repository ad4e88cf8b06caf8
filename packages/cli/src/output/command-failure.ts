import { EXIT, type ExitCode } from './exit-codes.ts';

interface Facts {
  readonly exit?: ExitCode;
  /** A code for scripts, as `--json` prints it. */
  readonly code?: string;
  /** What the reader can do next. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Ends a command with a message, a hint and an exit code. */
export class CommandFailure extends Error {
  readonly exit: ExitCode;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(message: string, { exit = EXIT.failed, code = 'failed', hint, cause }: Facts = {}) {
    super(message, { cause });
    this.name = 'CommandFailure';
    this.exit = exit;
    this.code = code;
    this.hint = hint;
  }
}

export function wrongUsage(message: string, hint?: string): CommandFailure {
  return new CommandFailure(message, { exit: EXIT.wrongUsage, code: 'wrong_usage', hint });
}
