import type { Command, Reply, ReplyValue } from '@baton/engine';
import { isTerminal, type RunEvent } from '@baton/protocol';
import { keyOf } from '../commands.ts';
import { complain, type Sent, type World } from '../world.ts';
import { historyOf } from './booked-run.ts';

/** What a host has acknowledged is stored at that moment: the host may die in the next. */
export function checkAcknowledged(world: World, sent: Sent, reply: Reply & { readonly ok: true }): void {
  const { command } = sent;
  const { value, replayed } = reply;
  if (command.kind === 'pause-run' && !replayed) notePause(world, command.runId);
  const problems = [
    ...notRemembered(world, command, value),
    ...(value.kind === 'run' || value.kind === 'fork' ? otherRun(world, sent, value, replayed) : []),
    ...(command.kind === 'resolve-interrupt' && !replayed ? lostAnswer(world, sent, command) : []),
    ...(value.kind === 'erased' ? leftContents(world, value.runId) : []),
  ];
  for (const problem of problems) complain(world, problem);
}

/** Whoever is told that the store cannot be reached may ask again: nothing of the command is stored. */
export function checkNotStored(world: World, { command }: Sent): void {
  const key = keyOf(command);
  if (key === undefined || !('caller' in command)) return;
  const isSentOnce = world.sent.filter((other) => keyOf(other.command) === key).length === 1;
  if (isSentOnce && world.ledger.replyFor(command.caller.principal, key) !== undefined)
    complain(world, `${key} was answered as not stored, and it is stored`);
}

type Problems = readonly string[];

/** The run may have gone on already, or drains first. */
function notePause({ ledger, pauses }: World, runId: string): void {
  const phase = ledger.run(runId)?.state?.phase;
  if (phase?.kind === 'paused') pauses.set(runId, phase);
}

/** Whether the run or a run above it is in a pause that was acknowledged. */
export function isInPause({ ledger, pauses }: Pick<World, 'ledger' | 'pauses'>, runId: string): boolean {
  const run = ledger.run(runId);
  const phase = run?.state?.phase;
  if (phase?.kind === 'paused' && pauses.get(runId) === phase) return true;
  const above = run?.record.parentRunId;
  return above !== undefined && isInPause({ ledger, pauses }, above);
}

function otherRun(
  { plan, ledger }: World,
  { command }: Sent,
  { runId, status }: ReplyValue & { readonly kind: 'run' | 'fork' },
  replayed: boolean,
): Problems {
  const run = ledger.run(runId);
  if (run === undefined) return [`${command.kind} of ${runId} was acknowledged, and there is no such run`];
  if (command.kind === 'cancel-run' && !isTerminal(run.status))
    return [`the cancel of ${runId} was acknowledged, and the run is ${run.status}`];
  if (plan.hosts === 1 && !replayed && run.status !== status)
    return [`${command.kind} of ${runId} was acknowledged as ${status}, and the run is ${run.status}`];
  return [];
}

/** An accepted answer is in the log of its run, under the name of the person. */
function lostAnswer(
  { ledger }: World,
  { headBefore }: Sent,
  { runId, caller }: Command & { readonly kind: 'resolve-interrupt' },
): Problems {
  const run = ledger.run(runId);
  const texts = run === undefined ? [] : historyOf(run, ledger.run, run.head).texts.slice(headBefore);
  const isIn = texts.some((text) => {
    const { type, payload } = JSON.parse(text) as RunEvent;
    const words: Readonly<Record<string, unknown>> = payload;
    const by = words.resolvedBy ?? words.decidedBy ?? words.askedBy;
    return ANSWERS.has(type) && by === caller.principal;
  });
  return isIn ? [] : [`an answer of ${caller.principal} to ${runId} was accepted, and is not in its log`];
}

const ANSWERS: ReadonlySet<string> = new Set([
  'interrupt.resolved',
  'approval.received',
  'clarification.requested',
]);

function notRemembered({ ledger, sent }: World, command: Command, value: ReplyValue): Problems {
  const key = keyOf(command);
  if (key === undefined || !('caller' in command)) return [];
  if (ledger.replyFor(command.caller.principal, key) === undefined)
    return [`the reply to ${key} was given, and is not remembered`];
  const others = sent.filter((one) => one.reply?.ok && keyOf(one.command) === key);
  const told = new Set([
    JSON.stringify(value),
    ...others.map(({ reply }) => reply?.ok && JSON.stringify(reply.value)),
  ]);
  return told.size === 1 ? [] : [`${key} was answered in several ways: ${[...told].join(' and ')}`];
}

function leftContents({ ledger }: World, rootId: string): Problems {
  return ledger
    .runs()
    .filter(({ record, erased }) => record.rootId === rootId && !erased)
    .map(({ record }) => `the erasure of ${rootId} was acknowledged, and ${record.runId} is not erased`);
}
