import { type Message, Role, type Task } from '@a2a-js/sdk';
import { hideSealed } from '@baton/engine';
import type { RunRow } from '@baton/engine/ports';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  type PayloadOf,
  parse,
  type RunEvent,
} from '@baton/protocol';
import Type from 'typebox';
import { typeOf } from '../events/frames.ts';
import { questionText } from '../published/open-question.ts';
import type { ReadCall } from './read-tasks.ts';
import { messageOf } from './task.ts';

/**
 * The history of a task: the message that started it, the questions that were asked, and the answers. It is made of the
 * logs of the run and of the runs below it, so it needs no data of its own. The open question is the message of the
 * status, and is added to the history when it is answered.
 */

const MOST_MESSAGES = 50;
/** A longer log is read only from its end, so that the cost of reading a task is bounded. */
const MOST_EVENTS = 2000;
/** The newest runs below the task that are looked at, and as many levels of them. */
const MOST_RUNS = 20;

const Length = Type.Integer({ minimum: 0 });

/** The task with its newest messages, at most `length` of them. Without a length the host applies its own bound. */
export async function withHistory(call: ReadCall, task: Task, length: number | undefined): Promise<Task> {
  const asked = length === undefined ? MOST_MESSAGES : parse(Length, length, 'historyLength');
  const most = Math.min(asked, MOST_MESSAGES);
  if (most === 0) return task;
  const root = await call.host.reads.run(call.identity.tenant, task.id);
  if (root === undefined) return task;
  const entries: Entry[] = [];
  for (const row of await runsOf(call, root)) entries.push(...(await entriesOf(call, row)));
  entries.sort((one, other) => one.at - other.at);
  const history = entries.slice(-most).map(({ message }) => messageOf(root, message));
  return { ...task, history };
}

interface Entry {
  readonly at: number;
  readonly message: Pick<Message, 'messageId' | 'role' | 'parts'>;
}

/** The root run, and the newest runs below it, level by level. */
async function runsOf({ host, identity }: ReadCall, root: RunRow): Promise<readonly RunRow[]> {
  const found = [root];
  for (const { runId } of found) {
    const limit = MOST_RUNS + 1 - found.length;
    if (limit <= 0) break;
    const { items } = await host.reads.runs({ tenant: identity.tenant, parentRunId: runId, limit });
    found.push(...items);
  }
  return found;
}

async function entriesOf(call: ReadCall, row: RunRow): Promise<readonly Entry[]> {
  const { host, identity } = call;
  const { runId, head, parentRunId } = row;
  const from = Math.max(0, head - MOST_EVENTS);
  const read = async (start: number, limit: number) =>
    host.reads.events(identity.tenant, runId, start, limit);
  const first = from > 0 && parentRunId === undefined ? await read(0, 1) : [];
  const texts = [...first, ...(await read(from, MOST_EVENTS))];
  const events = texts
    .filter((text) => MESSAGES.has(typeOf(text)))
    .map((text) => hideSealed(JSON.parse(text) as Json) as unknown as RunEvent);
  return messagesIn(call, events);
}

const MESSAGES: ReadonlySet<string> = new Set(['run.started', 'interrupt.requested', 'interrupt.resolved']);

function messagesIn(call: ReadCall, events: readonly RunEvent[]): readonly Entry[] {
  const asked = new Map<string, Entry['message']>();
  const entries: Entry[] = [];
  for (const event of events) {
    const { type, payload } = event;
    if (type === 'run.started') entries.push(...firstMessage(event, payload as PayloadOf<'run.started'>));
    if (type === 'interrupt.requested') {
      const request = payload as PayloadOf<'interrupt.requested'>;
      asked.set(request.key, question(event, request).message);
    }
    if (type !== 'interrupt.resolved') continue;
    const resolved = payload as PayloadOf<'interrupt.resolved'>;
    // Several runs may ask at the same time. A question comes directly before its answer, as the caller was shown it.
    const message = asked.get(resolved.interruptId);
    if (message !== undefined) entries.push({ at: Date.parse(event.timestamp), message });
    entries.push(...answer(call, event, resolved));
  }
  return entries;
}

/** The inputs of the root run. A run below it was started by no message. */
function firstMessage(
  event: RunEvent,
  { inputs, metadata, parentRunId }: PayloadOf<'run.started'>,
): readonly Entry[] {
  if (parentRunId !== undefined) return [];
  const a2a = metadata?.a2a;
  const messageId = isJsonObject(a2a) && typeof a2a.messageId === 'string' ? a2a.messageId : event.eventId;
  return [entry(event, messageId, Role.ROLE_USER, { $case: 'data', value: inputs })];
}

function question(event: RunEvent, { kind, data }: PayloadOf<'interrupt.requested'>): Entry {
  const text = questionText(data as unknown as Json) ?? `The task waits for an answer (${kind}).`;
  return entry(event, event.eventId, Role.ROLE_AGENT, { $case: 'text', value: text });
}

/** A peer is shown only its own answers, because those of the people of this host may hold internal remarks. */
function answer(
  { identity }: ReadCall,
  event: RunEvent,
  { resumeValue, resolvedBy }: PayloadOf<'interrupt.resolved'>,
): readonly Entry[] {
  const isShown = identity.peer === undefined || resolvedBy === identity.principal;
  if (!isJsonObject(resumeValue) || !isShown) return [];
  return [entry(event, event.eventId, Role.ROLE_USER, { $case: 'data', value: resumeValue as JsonObject })];
}

function entry(
  { timestamp }: RunEvent,
  messageId: string,
  role: Role,
  content: Message['parts'][number]['content'],
): Entry {
  const parts = [{ content, metadata: undefined, filename: '', mediaType: '' }];
  return { at: Date.parse(timestamp), message: { messageId, role, parts } };
}
