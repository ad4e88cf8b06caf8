import type { InterruptAnswer } from '@baton/client';
import { watchRun } from '../live/watch.ts';
import { wrongUsage } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { reportEnd } from '../runs/report-end.ts';
import type { Session } from '../session.ts';
import { confirmed, showFirst } from './confirm.ts';
import { findQuestion, type OpenQuestion } from './find-question.ts';
import { questionText } from './question-text.ts';

/** `baton approve` and `baton reject`. */

interface DecideFlags {
  readonly yes?: boolean;
  readonly comment?: string;
  readonly reason?: string;
  readonly watch?: boolean;
}

export async function approve(session: Session, runId: string): Promise<ExitCode> {
  const question = await showQuestion(session, runId);
  const { comment }: DecideFlags = session.flags;
  if (!(await confirmed(session, 'Accept this?'))) return unchanged(session);
  return send(session, question, { action: 'accept', ...(comment !== undefined && { comment }) });
}

export async function reject(session: Session, runId: string): Promise<ExitCode> {
  const question = await showQuestion(session, runId);
  const { reason }: DecideFlags = session.flags;
  if (!(await confirmed(session, 'Reject this?'))) return unchanged(session);
  return send(session, question, {
    action: 'reject',
    ...(reason !== undefined && { reason, feedback: reason }),
  });
}

/** Shows an open approval. A question that needs an answer in words is refused. */
export async function showQuestion(session: Session, named: string): Promise<OpenQuestion> {
  const question = await findQuestion(session, named);
  const { runId, place } = question;
  const { kind } = place;
  if (kind !== 'approval' && kind !== 'low-confidence') {
    throw wrongUsage(`Run ${runId} asks no approval, but a ${kind}.`, `Answer with "baton answer ${runId}".`);
  }
  // The decision is the result of the command, so the question is only a message.
  showFirst(session, `${questionText(question, Date.now(), session.out.paint, process.stderr.columns)}\n`);
  return question;
}

export function unchanged({ out }: Session): ExitCode {
  out.note('Nothing was sent. The question stays open.');
  return EXIT.failed;
}

/** Sends the answer, and says how the run is afterwards. */
export async function send(
  session: Session,
  { runId, place }: OpenQuestion,
  answer: InterruptAnswer,
): Promise<ExitCode> {
  const { baton, out } = session;
  const moved = await baton.answer(place, answer);
  if (session.flags.watch === true) {
    return reportEnd(session, runId, await watchRun(session, runId, { untilWaiting: true, shows: true }));
  }
  out.give(moved, `Run ${moved.runId} is ${moved.status}.`);
  return EXIT.done;
}
