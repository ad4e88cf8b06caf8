import type { Command, Reply, ReplyValue } from '@baton/engine';
import type { RunEvent } from '@baton/protocol';
import { isTerminal } from '@baton/protocol';
import { keyOf } from './commands.ts';
import { complain, type Sent, type World } from './world.ts';

/** What a host has acknowledged is stored at that moment: the host may die in the next. */
export function checkAcknowledged(world: World, sent: Sent, reply: Reply & { readonly ok: true }): void {
  const { command } = sent;
  const { value, replayed } = reply;
  // Reads begin at once, so they see what is stored now.
  const checks = [
    checkRemembered(world, command, value),
    ...(value.kind === 'run' || value.kind === 'fork' ? [checkRun(world, sent, value, replayed)] : []),
    ...(command.kind === 'resolve-interrupt' && !replayed ? [checkAnswer(world, sent, command)] : []),
  ];
  void Promise.all(checks).then((found) => {
    for (const problem of found) if (problem !== undefined) complain(world, problem);
  });
}

type Check = Promise<string | undefined>;

async function checkRun(
  { plan, store }: World,
  { command }: Sent,
  { runId, status }: ReplyValue & { readonly kind: 'run' | 'fork' },
  replayed: boolean,
): Check {
  const row = await store.run(runId);
  if (row === undefined) return `${command.kind} of ${runId} was acknowledged, and there is no such run`;
  if (command.kind === 'cancel-run' && !isTerminal(row.status))
    return `the cancel of ${runId} was acknowledged, and the run is ${row.status}`;
  if (plan.hosts === 1 && !replayed && row.status !== status)
    return `${command.kind} of ${runId} was acknowledged as ${status}, and the run is ${row.status}`;
  return undefined;
}

/** An accepted answer is in the log of its run, under the name of the person. */
async function checkAnswer(
  { reads }: World,
  { headBefore }: Sent,
  { runId, caller }: Command & { readonly kind: 'resolve-interrupt' },
): Check {
  const texts = await reads.events(caller.tenant, runId, headBefore, 10_000);
  const isIn = texts.some((text) => {
    const { type, payload } = JSON.parse(text) as RunEvent;
    const words: Readonly<Record<string, unknown>> = payload;
    const by = words.resolvedBy ?? words.decidedBy ?? words.askedBy;
    return ANSWERS.has(type) && by === caller.principal;
  });
  return isIn
    ? undefined
    : `an answer of ${caller.principal} to ${runId} was accepted, and is not in its log`;
}

const ANSWERS: ReadonlySet<string> = new Set([
  'interrupt.resolved',
  'approval.received',
  'clarification.requested',
]);

async function checkRemembered({ store, sent }: World, command: Command, value: ReplyValue): Check {
  const key = keyOf(command);
  if (key === undefined || !('caller' in command)) return undefined;
  const { tenant, principal } = command.caller;
  const record = await store.replyFor(tenant, principal, key);
  if (record === undefined) return `the reply to ${key} was given, and is not remembered`;
  const others = sent.filter((one) => one.reply?.ok && keyOf(one.command) === key);
  const told = new Set([
    JSON.stringify(value),
    ...others.map(({ reply }) => reply?.ok && JSON.stringify(reply.value)),
  ]);
  return told.size === 1 ? undefined : `${key} was answered in several ways: ${[...told].join(' and ')}`;
}
