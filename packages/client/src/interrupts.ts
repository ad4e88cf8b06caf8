import type {
  ApprovalAnswer,
  ClarificationAnswer,
  JsonObject,
  LinkedInterrupt,
  WaitingInterrupt,
} from '@baton/protocol';
import { BatonError } from './errors.ts';
import type { CallOptions, CommandOptions, Connection } from './http/connection.ts';
import type { Answer, Query } from './http/contract-types.ts';
import { all, pagesOf } from './http/pages.ts';
import { ask } from './http/request.ts';

/** The questions of runs, and the answers to them. */

/**
 * The answer to an approval (`action`), to a clarification (`answers`), or to an external event or another interrupt:
 * any object without these two names.
 */
export type InterruptAnswer =
  | ApprovalAnswer
  | ClarificationAnswer
  | (JsonObject & { readonly action?: never; readonly answers?: never });

/** The run and the node that wait, and the question. An entry of the inbox names all three. */
export interface InterruptPlace {
  readonly runId: string;
  readonly nodeId: string;
  /** With it, the answer is refused if the node asks another question by now. */
  readonly interruptId?: string;
}

/** The state of a run right after a command. */
export type RunMoved = Answer<'answerInterrupt'>;

/** Open interrupts, oldest first. Pages are read as the caller goes on. */
export function openInterrupts(
  connection: Connection,
  { signal, ...query }: Omit<Query<'listInterrupts'>, 'cursor' | 'limit'> & CallOptions = {},
): AsyncGenerator<WaitingInterrupt, void, undefined> {
  return pagesOf(async (cursor) => {
    const page = await ask(connection, 'listInterrupts', { query: { ...query, limit: 200, cursor }, signal });
    return { items: page.interrupts, next: page.nextCursor };
  });
}

/** Open interrupts of one run and its descendants. */
export function interruptsOf(
  connection: Connection,
  runId: string,
  options: CallOptions = {},
): Promise<readonly WaitingInterrupt[]> {
  return all(openInterrupts(connection, { ...options, runId }));
}

/** A refused answer is not sent in another form: without its question it could answer the next one of the node. */
export function answerAt(
  connection: Connection,
  { runId, nodeId, interruptId }: InterruptPlace,
  answer: InterruptAnswer,
  options: CommandOptions,
): Promise<RunMoved> {
  return ask(connection, 'answerInterrupt', {
    params: { runId, nodeId },
    body: { interruptId, resumeValue: answer },
    ...options,
  });
}

/** The only open interrupt of a run. The API answers an interrupt by its node, so the caller has to choose among several. */
export function onlyOne(runId: string, open: readonly WaitingInterrupt[]): WaitingInterrupt {
  const [only, ...others] = open;
  if (only !== undefined && others.length === 0) return only;
  const places = open.map((one) => ({ runId: one.runId, nodeId: one.nodeId }));
  const message =
    only === undefined
      ? `Run ${runId} has no open interrupt.`
      : `Run ${runId} has ${open.length} open interrupts; name the node of one of them.`;
  throw new BatonError('run_state_conflict', message, { details: { runId, interrupts: places } });
}

/** Interrupts by their signed links, which need no API key. */
export interface InterruptLinks {
  read(token: string, options?: CallOptions): Promise<LinkedInterrupt>;
  answer(token: string, answer: InterruptAnswer, options?: CommandOptions): Promise<RunMoved>;
}

export function interruptLinks(connection: Connection): InterruptLinks {
  return {
    read: (token, options) => ask(connection, 'readInterruptLink', { params: { token }, ...options }),
    answer: (token, answer, options) =>
      ask(connection, 'answerInterruptLink', {
        params: { token },
        body: { resumeValue: answer },
        ...options,
      }),
  };
}
