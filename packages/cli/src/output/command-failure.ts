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

/** A name that neither the host nor this machine knows. */
export function notFound(message: string, hint?: string, cause?: unknown): CommandFailure {
  return new CommandFailure(message, { exit: EXIT.notFound, code: 'not_found', hint, cause });
}

export function wrongUsage(message: string, hint?: string): CommandFailure {
  return new CommandFailure(message, { exit: EXIT.wrongUsage, code: 'wrong_usage', hint });
}
