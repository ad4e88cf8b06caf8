import type { Baton } from '@baton/client';
import type { EventOf, RunEvent, WaitingInterrupt } from '@baton/protocol';
import { CommandFailure } from '../output/command-failure.ts';
import { EXIT } from '../output/exit-codes.ts';
import { withKnownRun } from '../runs/known-names.ts';
import type { Session } from '../session.ts';

/** An open question of a run, with everything that a person needs to decide. */
export interface OpenQuestion {
  /** The run that the command names. The run that asks may be one of its descendants. */
  readonly runId: string;
  readonly place: WaitingInterrupt;
  /** What is asked. Its form depends on the kind of the interrupt. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The key that started the run. */
  readonly startedBy: string;
  /** What a critic said about the artifact. */
  readonly judgement: Judgement | undefined;
}

/** The only open question of the run and its descendants, or the one at the node that `--node` names. */
export async function findQuestion(session: Session, named: string): Promise<OpenQuestion> {
  const { baton } = session;
  const found = await withKnownRun(session, named, async (runId) => ({
    runId,
    open: await baton.run(runId).interrupts(),
  }));
  const { runId, open } = found;
  const place = chosen(runId, open, session.flags.node);
  const run = baton.run(place.runId);
  const [snapshot, log] = await Promise.all([run.snapshot(), run.log()]);
  const judgement = await judgementIn(baton, log, place);
  return { runId, place, data: dataIn(log, place), startedBy: snapshot.owner.principal, judgement };
}

function chosen(runId: string, open: readonly WaitingInterrupt[], node: unknown): WaitingInterrupt {
  const wanted = typeof node === 'string' ? open.filter((one) => one.nodeId === node) : open;
  const [only, ...others] = wanted;
  if (only !== undefined && others.length === 0) return only;
  const facts = { exit: EXIT.failed, code: 'run_state_conflict' } as const;
  if (open.length === 0) {
    const hint = '"baton inbox" lists everything that waits for a person.';
    throw new CommandFailure(`Run ${runId} asks nothing at the moment.`, { ...facts, hint });
  }
  const hint = `Name one of them with --node: ${open.map((one) => one.nodeId).join(', ')}.`;
  const count =
    only === undefined ? `no open question at the node ${node}` : `${wanted.length} open questions`;
  throw new CommandFailure(`Run ${runId} has ${count}.`, { ...facts, hint });
}

/** A node asks one question at a time, so its last question is the open one. */
function dataIn(log: readonly RunEvent[], { nodeId }: WaitingInterrupt): OpenQuestion['data'] {
  const asked = log.findLast((event) => event.type === 'interrupt.requested' && event.nodeId === nodeId);
  return (asked?.payload as { readonly data?: OpenQuestion['data'] } | undefined)?.data ?? {};
}

/** What a critic said about the artifact that a person is asked about. */
interface Judgement {
  readonly critic: string;
  readonly verdict: string;
  readonly criteria: readonly string[];
  readonly confidence?: number;
  readonly feedback?: string;
}

/** The last verdict at the node before the question. Its feedback is a variable of the critic's run. */
async function judgementIn(
  baton: Baton,
  log: readonly RunEvent[],
  { nodeId }: WaitingInterrupt,
): Promise<Judgement | undefined> {
  const verified = log.findLast(
    (event): event is EventOf<'agent.verified'> => event.type === 'agent.verified' && event.nodeId === nodeId,
  );
  if (verified === undefined) return undefined;
  const { agentId, verdict, criteria = [], confidence, target } = verified.payload;
  const started = log.findLast(
    (event): event is EventOf<'baton.critic.started'> =>
      event.type === 'baton.critic.started' &&
      event.nodeId === nodeId &&
      (event.payload.target ?? event.payload.childRunId) === target,
  );
  const feedback = started && (await feedbackOf(baton, started.payload.criticRunId));
  return {
    critic: agentId,
    verdict,
    criteria,
    ...(confidence !== undefined && { confidence }),
    ...(feedback !== undefined && { feedback }),
  };
}

async function feedbackOf(baton: Baton, criticRunId: string): Promise<string | undefined> {
  const { variables } = await baton.run(criticRunId).snapshot();
  const { feedback } = variables;
  return typeof feedback === 'string' && feedback !== '' ? feedback : undefined;
}
