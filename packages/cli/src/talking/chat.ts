import { createInterface } from 'node:readline/promises';
import { text as textOf } from 'node:stream/consumers';
import type { Baton } from '@baton/client';
import type { RunSnapshot } from '@baton/protocol';
import { wrongUsage } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { printable } from '../output/printable.ts';
import type { Session } from '../session.ts';
import { knownAgent } from './known-agent.ts';

/**
 * A conversation with an agent. In a terminal each line is a message, and replies are shown while they are written.
 * Otherwise there is one message, from the argument or from standard input, and the output is the reply.
 */
export async function chat(session: Session, agentId: string, given: string | undefined): Promise<ExitCode> {
  const { baton, flags } = session;
  await knownAgent(session, agentId);
  const conversation = typeof flags.conversation === 'string' ? flags.conversation : undefined;
  const single = given ?? (process.stdin.isTTY === true ? undefined : (await textOf(process.stdin)).trim());
  if (single === undefined) return await talk(session, agentId, conversation);
  if (single === '') throw wrongUsage('There is no message.', `For example: baton chat ${agentId} "Hello"`);
  const result = await exchange(baton, agentId, single, conversation, () => undefined);
  return give(session, agentId, result);
}

async function talk(session: Session, agentId: string, given: string | undefined): Promise<ExitCode> {
  const { baton, out } = session;
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    prompt: out.paint.cyan('you › '),
  });
  let conversation = given;
  out.note(`A conversation with ${agentId}. An empty line or Ctrl-D ends it.`);
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() === '') break;
    const result = await said(baton, agentId, line, conversation, out.paint.green(`${agentId} › `));
    conversation = result.conversationId;
    if (result.end !== 'replied') out.note(endText(result));
    lines.prompt();
  }
  lines.close();
  if (conversation !== undefined)
    out.note(`\nGo on later: baton chat ${agentId} --conversation ${conversation}`);
  return EXIT.done;
}

/** Writes the reply while it is written. A reply that differs from the parts that were shown is shown as a whole. */
async function said(
  baton: Baton,
  agentId: string,
  line: string,
  conversation: string | undefined,
  name: string,
): Promise<Exchange> {
  let shown = '';
  process.stdout.write(name);
  const result = await exchange(baton, agentId, line, conversation, (part) => {
    shown += part;
    process.stdout.write(indented(part));
  });
  const reply = result.reply ?? '';
  const isRest = reply.startsWith(shown);
  process.stdout.write(`${isRest ? '' : '\n'}${indented(isRest ? reply.slice(shown.length) : reply)}\n`);
  return result;
}

/** Further lines of a reply are indented, so that none of them looks like the prompt. */
function indented(text: string): string {
  return printable(text).replaceAll('\n', '\n  ');
}

function give({ out }: Session, agentId: string, result: Exchange): ExitCode {
  const { end, ...facts } = result;
  out.give(facts, end === 'replied' ? printable(result.reply ?? '') : '');
  if (end === 'replied') {
    out.note(out.paint.dim(`Go on: baton chat ${agentId} --conversation ${result.conversationId} "…"`));
    return EXIT.done;
  }
  out.note(endText(result));
  return end === 'waits' ? EXIT.runWaits : EXIT.runFailed;
}

function endText({ end, runId, error }: Exchange): string {
  if (end === 'waits') return `The agent waits for a person; see "baton inbox". The run is ${runId}.`;
  return `The agent did not reply: ${printable(error ?? 'the run was cancelled')} The run is ${runId}.`;
}

/** One message to an agent, and how the agent's run went on. */
interface Exchange {
  readonly conversationId: string;
  readonly runId: string;
  readonly status: string;
  /** `waits`: a person has to answer something before the agent can go on. */
  readonly end: 'replied' | 'waits' | 'failed';
  readonly reply?: string;
  readonly error?: string;
}

const ASKING = ['approval.requested', 'clarification.requested', 'interrupt.requested'];

/** Sends a message and follows the run of the agent. `part` is called with each part of the reply as it is written. */
async function exchange(
  baton: Baton,
  agentId: string,
  message: string,
  conversationId: string | undefined,
  part: (text: string) => void,
): Promise<Exchange> {
  const sent = await baton.agents.message(agentId, message, {
    waitSeconds: 0,
    ...(conversationId !== undefined && { conversationId }),
  });
  const ids = { conversationId: sent.conversationId, runId: sent.runId };
  const run = baton.run(sent.runId);
  for await (const item of run.live()) {
    if (item.kind === 'chunk') part(item.chunk.chunk);
    else if (ASKING.includes(item.event.type)) break;
  }
  return { ...ids, ...outcome(await run.snapshot()) };
}

function outcome({ status, variables, error }: RunSnapshot): Omit<Exchange, 'conversationId' | 'runId'> {
  if (status === 'completed') return { status, end: 'replied', reply: resultText(variables) };
  if (status === 'failed' || status === 'cancelled') {
    return { status, end: 'failed', ...(error && { error: error.message }) };
  }
  return { status, end: 'waits' };
}

/** An agent without a return schema gives a text; another one gives a value. */
function resultText({ result }: RunSnapshot['variables']): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}
