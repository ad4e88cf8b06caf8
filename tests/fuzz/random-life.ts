import type { Command, EffectOutcome, Reply } from '@baton/engine';
import type { Json } from '@baton/protocol';
import { type DrivenHost, hasEnded, stateOf, statusOf, treeOf } from './driven-host.ts';
import { answerTo, type Open } from './random-answers.ts';
import type { Dice } from './random-choice.ts';
import type { Family } from './workflow-generator.ts';

/** What happens to a run from outside, at random, until it has ended. */
export interface Life {
  readonly dice: Dice;
  readonly host: DrivenHost;
  readonly tenant: string;
  readonly family: Family;
  readonly wait: number;
  /** What went wrong that never may. */
  readonly problems: string[];
}

export const MOST_ACTIONS = 30;

export async function command(life: Life, given: Command): Promise<Reply> {
  const reply = await life.host.top.execute(given);
  const code = reply.ok ? undefined : reply.error.error;
  if (code === 'internal_error' || code === 'run_quarantined')
    life.problems.push(`${given.kind}: ${JSON.stringify(reply)}`);
  await life.host.idle();
  return reply;
}

export async function register(life: Life, definition: Record<string, unknown>): Promise<void> {
  const caller = { tenant: life.tenant, principal: 'ana' };
  const given = {
    kind: 'register-workflow',
    caller,
    definition: definition as never,
    shared: false,
  } as const;
  const reply = await command(life, given);
  if (!reply.ok) throw new Error(`${JSON.stringify(reply.error)} ${JSON.stringify(definition)}`);
}

export async function begin(life: Life): Promise<string> {
  const { dice, family, tenant } = life;
  const scopes = dice.chance(0.1) ? ['runs:create', 'runs:read'] : undefined;
  const body = {
    workflowId: family.root,
    inputs: family.inputs as Record<string, Json>,
    configurable: family.configurable,
    ...dice.some(0.2, { scopeId: 'desk' }),
  } as never;
  const caller = { tenant, principal: 'ana' };
  const reply = await command(life, { kind: 'create-run', caller, body, ...(scopes && { scopes }) });
  if (!reply.ok || reply.value.kind !== 'run') throw new Error(JSON.stringify(reply));
  return reply.value.runId;
}

/** Lets the run live, and sees to it that it ends. */
export async function live(
  life: Life,
  runId: string,
  actions: number,
  look: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { dice, host, wait } = life;
  for (
    let left = dice.between(0, actions);
    left > 0 && !(await hasEnded(life.host, life.tenant, runId));
    left -= 1
  ) {
    // Some things happen at the same time.
    const together = Array.from({ length: dice.weigh([4, () => 1], [1, () => 2], [1, () => 4]) }, () =>
      happen(life, runId),
    );
    await Promise.all(together);
    if (dice.chance(0.03)) await host.crash();
    if (dice.chance(0.05)) await look();
  }
  for (let round = 0; round < 25 && !(await hasEnded(life.host, life.tenant, runId)); round += 1) {
    await command(life, { kind: 'resume-run', caller: callerOf(life), runId });
    await finishEffects(life);
    for (const [id, open] of await questions(life, runId)) await give(life, id, open);
    await host.move(wait + 2);
  }
  const replies: Reply[] = [];
  for (const id of await treeOf(host, life.tenant, runId))
    replies.push(await command(life, cancel(life, id)));
  if (await hasEnded(life.host, life.tenant, runId)) return;
  life.problems.push(
    `${runId} does not end: ${await statusOf(host, life.tenant, runId)} ${JSON.stringify(replies)}`,
  );
}

const callerOf = ({ tenant }: Life, principal = 'ana') => ({ tenant, principal });
const cancel = (life: Life, runId: string): Command => ({
  kind: 'cancel-run',
  caller: callerOf(life),
  runId,
});

/** One thing that comes from outside. */
async function happen(life: Life, runId: string): Promise<void> {
  const { dice, host, wait, tenant, family } = life;
  const ids = await treeOf(host, tenant, runId);
  const someone = () => dice.pick(ids);
  await dice.weigh<() => Promise<unknown>>(
    [8, () => () => answerOne(life, runId)],
    [6, () => () => finishEffects(life, 1)],
    [5, () => () => host.move(dice.between(0, wait + 1))],
    [1, () => () => host.move(wait * 5)],
    [ids.length > 1 ? 2.5 : 0, () => () => command(life, cancel(life, dice.pick(ids.slice(1))))],
    [0.8, () => () => command(life, cancel(life, runId))],
    [1, () => () => command(life, pause(life, someone()))],
    [1.5, () => () => command(life, { kind: 'resume-run', caller: callerOf(life), runId: someone() })],
    [0.5, () => () => register(life, dice.pick(family.later))],
    [0.5, () => () => writeFile(life)],
  )();
}

function pause(life: Life, runId: string): Command {
  const drainPolicy = life.dice.pick(['immediate', 'drain-current-node'] as const);
  return { kind: 'pause-run', caller: callerOf(life), runId, drainPolicy };
}

function writeFile(life: Life): Promise<Reply> {
  const file = { workspace: 'default', path: 'a.md', content: 'by somebody else', contentType: 'text/plain' };
  return command(life, { kind: 'put-file', caller: callerOf(life), ...file });
}

async function questions(
  { host, tenant }: Life,
  runId: string,
): Promise<readonly (readonly [runId: string, open: Open])[]> {
  const all: [runId: string, open: Open][] = [];
  for (const id of await treeOf(host, tenant, runId)) {
    const state = await stateOf(host, tenant, id);
    for (const open of Object.values(state?.interrupts ?? {})) all.push([id, open]);
  }
  return all;
}

async function answerOne(life: Life, runId: string): Promise<void> {
  const open = await questions(life, runId);
  if (open.length > 0) await give(life, ...life.dice.pick(open));
}

async function give(life: Life, runId: string, open: Open): Promise<void> {
  const { principal, scopes, value } = answerTo(life.dice, open);
  const target = life.dice.chance(0.5) ? { nodeId: open.nodeId } : { interruptId: open.key };
  const caller = callerOf(life, principal);
  await command(life, {
    kind: 'resolve-interrupt',
    caller,
    runId,
    target,
    resumeValue: value,
    viaToken: false,
    scopes,
  });
}

async function finishEffects({ host, dice }: Life, most = 100): Promise<void> {
  for (let left = most; left > 0 && host.pending.length > 0; left -= 1) {
    const [effect] = host.pending.splice(dice.below(host.pending.length), 1);
    effect?.finish(outcome(dice));
    await host.idle();
  }
}

function outcome(dice: Dice): EffectOutcome {
  const error = { code: 'outside_broke', message: 'as told' };
  return dice.weigh<EffectOutcome>(
    [5, () => ({ kind: 'done', outputs: { key: 'k', a: dice.between(0, 9), text: 'card-4111-1111' } })],
    [1, () => ({ kind: 'failed', error })],
    [1, () => ({ kind: 'failed', error, retryable: false })],
  );
}
