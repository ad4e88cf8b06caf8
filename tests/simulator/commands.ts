import type { Command, Reply } from '@baton/engine';
import type { Dice } from '../fuzz/random-choice.ts';
import { checkAcknowledged, checkNotStored } from './checks/acknowledged.ts';
import { complain, type Sent, tell, type World } from './world.ts';

/** Sends a command to a host that lives, and checks the answer when it comes, which may be never. */
export function send(
  world: World,
  dice: Dice,
  command: Command,
  then: (reply: Reply) => void = () => undefined,
): void {
  const living = world.hosts.filter(({ life }) => life !== undefined && !life.draining);
  const host = living.length === 0 ? undefined : dice.pick(living);
  const runId = 'runId' in command ? command.runId : undefined;
  const headBefore = runId === undefined ? 0 : (world.ledger.run(runId)?.head ?? 0);
  const sent: Sent = { command, life: host?.life?.number, headBefore };
  world.sent.push(sent);
  tell(world, `${host?.name ?? 'nobody'} is asked: ${wordsOf(command)}`);
  void host?.life?.engine.execute(command).then((reply) => {
    world.time.moved();
    sent.reply = reply;
    tell(world, `answer to ${wordsOf(command)}: ${answerOf(reply)}`);
    if (reply.ok) checkAcknowledged(world, sent, reply);
    else if (reply.error.error === 'store_unavailable') checkNotStored(world, sent);
    else if (reply.error.error === 'internal_error')
      complain(world, `${wordsOf(command)}: ${reply.error.message}`);
    then(reply);
  });
}

/** Whoever gets no answer asks again with the same key. */
export function repeatUnanswered(world: World, life: number | undefined, dice: Dice): void {
  for (const { command, reply, life: to } of world.sent.slice()) {
    if (reply !== undefined || to !== life || keyOf(command) === undefined) continue;
    if (world.sent.some((other) => other.reply?.ok && keyOf(other.command) === keyOf(command))) continue;
    if (dice.chance(0.6)) world.time.after(dice.between(1, 40), () => send(world, dice, command));
  }
}

export function keyOf(command: Command): string | undefined {
  return 'idempotency' in command ? command.idempotency?.key : undefined;
}

function wordsOf(command: Command): string {
  const runId = 'runId' in command ? ` ${command.runId}` : '';
  const key = keyOf(command);
  return `${command.kind}${runId}${key === undefined ? '' : ` [${key}]`}`;
}

function answerOf(reply: Reply): string {
  return reply.ok ? JSON.stringify(reply.value) : reply.error.error;
}
