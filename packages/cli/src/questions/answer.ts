import type { InterruptAnswer } from '@baton/client';
import type { Json, JsonObject } from '@baton/protocol';
import { wrongUsage } from '../output/command-failure.ts';
import type { ExitCode } from '../output/exit-codes.ts';
import { printableLine } from '../output/printable.ts';
import { givenValue, type InputFlags, inputsOf } from '../runs/inputs.ts';
import type { Session } from '../session.ts';
import { askLine, canAsk, showFirst } from './confirm.ts';
import { send, unchanged } from './decide.ts';
import { findQuestion, type OpenQuestion } from './find-question.ts';
import { questionText } from './question-text.ts';

/** `baton answer`: answers the questions of a clarification, or gives the value that a run waits for. */
export async function answerRun(
  session: Session,
  named: string,
  value: string | undefined,
): Promise<ExitCode> {
  const question = await findQuestion(session, named);
  const { runId, place } = question;
  const { kind } = place;
  showFirst(session, `${questionText(question, Date.now(), session.out.paint, process.stderr.columns)}\n`);
  if (kind === 'approval' || kind === 'low-confidence') {
    throw wrongUsage(`Run ${runId} asks for an approval.`, `Decide with "baton approve ${runId}".`);
  }
  if (kind !== 'clarification')
    return send(session, question, theValue(value, session, runId) as InterruptAnswer);
  const answers = await answersTo(session, question, value);
  return answers === undefined ? unchanged(session) : send(session, question, { answers });
}

/** What another kind of interrupt waits for. The host takes an object. */
function theValue(value: string | undefined, { flags }: Session, runId: string): JsonObject {
  const inputs = inputsOf(flags as InputFlags);
  const given = value === undefined ? inputs : givenValue(value);
  if (typeof given === 'object' && given !== null && !Array.isArray(given) && Object.keys(given).length > 0) {
    return given as JsonObject;
  }
  throw wrongUsage(
    'The answer is not a JSON object.',
    `Write "baton answer ${runId} --input name=value", or the object itself.`,
  );
}

interface Asked {
  readonly id: string;
  readonly question: string;
}

/** The answers by the ids of the questions. A person at a terminal is asked for those that are missing. */
async function answersTo(
  session: Session,
  { data, place }: OpenQuestion,
  value: string | undefined,
): Promise<Readonly<Record<string, Json>> | undefined> {
  const asked = (data.questions ?? []) as readonly Asked[];
  const [first, ...others] = asked;
  const given = { ...inputsOf(session.flags as InputFlags) };
  if (value !== undefined && first !== undefined && others.length === 0) given[first.id] = givenValue(value);
  const missing = asked.filter(({ id }) => !(id in given));
  if (missing.length > 0 && !canAsk()) {
    const example = missing.map(({ id }) => `--input ${id}=<answer>`).join(' ');
    throw wrongUsage('Some questions have no answer.', `Write "baton answer ${place.runId} ${example}".`);
  }
  for (const { id } of missing) {
    const typed = await askLine(`${printableLine(id)} › `);
    if (typed === undefined) return undefined;
    given[id] = givenValue(typed);
  }
  return given;
}
