import { BatonError } from '@baton/client';
import { explain } from '../explain.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** What a command says when it fails, and with which code it exits. */
interface Report {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly exit: ExitCode;
}

export function reportOf(error: unknown): Report {
  if (error instanceof CommandFailure) {
    const { code, message, hint, exit } = error;
    return { code, message, exit, ...(hint !== undefined && { hint }) };
  }
  if (error instanceof BatonError) return ofRefusal(error);
  return { code: 'failed', message: explain(error), exit: EXIT.failed };
}

const START = 'Start a host with "baton serve" in another terminal, or name one with --url or BATON_URL.';
const KEY =
  'Give a key with --key or BATON_API_KEY; "baton keys create" makes one on the machine of the host.';

function ofRefusal({ code, message, details }: BatonError): Report {
  switch (code) {
    case 'host_unreachable':
      return { code, message: sentence(message.split(';')[0] ?? message), hint: START, exit: EXIT.noHost };
    case 'unauthenticated':
      return { code, message: 'The host does not accept the key.', hint: KEY, exit: EXIT.keyRefused };
    case 'forbidden':
      return { code, message, hint: KEY, exit: EXIT.keyRefused };
    case 'not_found':
      return { code, message, exit: EXIT.notFound };
    case 'run_failed':
    case 'run_cancelled':
      return { code, message, exit: EXIT.runFailed };
    default: {
      const fields = fieldsIn(details);
      return { code, message, exit: EXIT.failed, ...(fields !== undefined && { hint: fields }) };
    }
  }
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** The details of a refusal in one line, for example the fields that have to be changed. */
function fieldsIn(details: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const entries = Object.entries(details ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return entries.length === 0 ? undefined : `The host says: ${entries.join(', ').slice(0, 600)}`;
}
