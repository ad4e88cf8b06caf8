import type { WaitingInterrupt } from '@baton/protocol';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';
import { timeText } from './run-text.ts';

/** `baton inbox`: everything that waits for a person, oldest first. */
export async function showInbox({ baton, out }: Session): Promise<ExitCode> {
  const waiting = await baton.inbox();
  if (out.form === 'json') for (const one of waiting) out.give(withoutToken(one), '');
  else if (waiting.length === 0) out.note('Nothing waits for a person.');
  else {
    out.give(undefined, table(waiting));
    out.note('Decide with "baton approve <run>", "baton edit <run>" or "baton reject <run>".');
  }
  return EXIT.done;
}

/** The token answers the question without a key, so it is not written to outputs that may be kept. */
function withoutToken({ interruptToken: _, callbackUrl: __, ...rest }: WaitingInterrupt) {
  return rest;
}

function table(waiting: readonly WaitingInterrupt[]): string {
  return columns([
    ['RUN', 'NODE', 'KIND', 'ASKED (UTC)', 'UNTIL (UTC)', 'QUESTION'],
    ...waiting.map((one) => [
      one.runId,
      one.nodeId,
      one.kind,
      timeText(one.requestedAt),
      one.expiresAt === undefined ? '-' : timeText(one.expiresAt),
      one.title,
    ]),
  ]);
}
