import type { Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import {
  boss,
  declare,
  gatedBoss,
  hand,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { after, answer, child, effect, fork, gate, line, quiet } from './forking.ts';
import {
  type Bench,
  type BenchOptions,
  CALLER,
  creationOf,
  runIdOf,
  startTestEngine,
} from './test-engine.ts';

/** What was approved was approved for the values of then: a branch does not carry it over to others. */

const RUNNER = ['runs:create', 'runs:read'];
const OVERRIDER = [...RUNNER, 'approvals:override'];
const AMOUNT = { variables: declare({ amount: 10 }) };
const MORE = { variables: { amount: 1_000_000 } };
const SHOWN = { inputs: { amount: { type: 'variable', variableName: 'amount' } } };
const showing = (id: string, config: Config = {}) => ({ ...gate(id, config), ...SHOWN });

type Config = Record<string, unknown>;

interface Asked {
  readonly scopes?: readonly string[];
  readonly kind?: 'fork-run' | 'retry-run';
}

async function branch(
  top: Bench,
  runId: string,
  fromSeq: number,
  runOptionsOverlay: Config = {},
  { scopes = RUNNER, kind = 'fork-run' }: Asked = {},
) {
  const body = kind === 'fork-run' ? { mode: 'branch', fromSeq, runOptionsOverlay } : { runOptionsOverlay };
  const reply = await top.execute({ kind, caller: CALLER, runId, scopes, body } as never);
  await quiet();
  return reply;
}

async function begin(
  top: Bench,
  definitions: readonly Config[],
  scopes: readonly string[] = RUNNER,
): Promise<string> {
  await top.register(...definitions);
  const runId = runIdOf(await top.execute({ ...creationOf(String(definitions[0]?.id)), scopes }));
  await quiet();
  return runId;
}

const end = async (top: Bench, runId: string) => (await top.events(runId)).length - 1;
const refusedAt = (runId: string, earliestApproval: unknown = expect.any(Number)) => ({
  ok: false,
  error: { error: 'forbidden', details: { scope: 'approvals:override', runId, earliestApproval } },
});
const TAKEN = { ok: true };

/** An approval of what is on the inputs, and an effect behind it. */
const PAYMENT = line('payment', [gate('ok'), effect('pay')], AMOUNT);

async function paid(options: BenchOptions = {}) {
  const top = await startTestEngine(options);
  const runId = await begin(top, [PAYMENT]);
  await answer(top, runId, 'ok');
  expect(top.performed).toHaveLength(1);
  return { top, runId, granted: await after(top, runId, 'node.completed', 'ok') };
}

describe('a branch behind an approval', () => {
  it.each<[string, Config]>([
    ['a variable', MORE],
    ['a variable that was not there', { variables: { more: 1 } }],
    ['the configuration', { configurable: { model: 'other' } }],
    ['a limit', { configurable: { recursionLimit: 3 } }],
  ])('is refused where it changes %s, and taken where it is asked again', async (_what, overlay) => {
    const { top, runId, granted } = await paid();
    const started = (await after(top, runId, 'node.started', 'ok')) - 1;
    for (let fromSeq = granted; fromSeq <= (await end(top, runId)); fromSeq += 1)
      expect(await branch(top, runId, fromSeq, overlay)).toMatchObject(refusedAt(runId, started));
    expect(top.performed).toHaveLength(1);
    expect((await top.reads.runs({ tenant: CALLER.tenant, limit: 10 })).items).toHaveLength(1);
    const again = await branch(top, runId, started, overlay);
    expect(again).toMatchObject({ ok: true, value: { status: 'waiting-approval' } });
    expect(top.performed).toHaveLength(1);
  });

  it.each<[string, Config]>([
    ['nothing', {}],
    ['a variable to what it is', { variables: { amount: 10 } }],
    ['tags and metadata', { tags: ['x'], metadata: { why: 'a look' } }],
  ])('is taken where it changes %s', async (_what, overlay) => {
    const { top, runId, granted } = await paid();
    expect(await branch(top, runId, granted, overlay)).toMatchObject(TAKEN);
    expect(top.performed).toHaveLength(2);
  });

  it('is taken with the right to override approvals, and the log says whose it was', async () => {
    const { top, runId, granted } = await paid();
    const earliestApproval = (await after(top, runId, 'node.started', 'ok')) - 1;
    const said = async (overlay: Config) => {
      const twin = runIdOf(await branch(top, runId, granted, overlay, { scopes: OVERRIDER }));
      return (await top.of(twin, 'baton.run.branched'))[0]?.payload;
    };
    const overridden = { by: CALLER.principal, runId, earliestApproval };
    expect(await said(MORE)).toMatchObject({ overridden });
    expect(await said({})).not.toHaveProperty('overridden');
  });

  it('is refused where it acts with other scopes than the run that was approved', async () => {
    const top = await startTestEngine();
    const runId = await begin(top, [PAYMENT], [...RUNNER, 'artifacts:read']);
    await answer(top, runId, 'ok');
    const fromSeq = await after(top, runId, 'node.completed', 'ok');
    expect(await branch(top, runId, fromSeq)).toMatchObject(refusedAt(runId));
    const same = { scopes: ['artifacts:read', ...RUNNER, 'workflows:write'] };
    expect(await branch(top, runId, fromSeq, {}, same)).toMatchObject(TAKEN);
  });

  it('is refused for a branch of a branch, with what was approved in the first run', async () => {
    const { top, runId, granted } = await paid();
    const first = await fork(top, runId, { mode: 'branch', fromSeq: granted });
    expect(await branch(top, first, await end(top, first), MORE)).toMatchObject(refusedAt(first));
    const second = await fork(top, first, { mode: 'branch', fromSeq: await end(top, first) });
    expect(await branch(top, second, await end(top, second), MORE)).toMatchObject(refusedAt(second));
  });

  it('is refused after a restart, from what is stored', async () => {
    const { top, runId } = await paid();
    const again = await top.crash();
    expect(await branch(again, runId, await end(again, runId), MORE)).toMatchObject(refusedAt(runId));
  });

  it('is refused as a retry', async () => {
    const failed = { kind: 'failed', error: { code: 'x', message: 'x' }, retryable: false } as const;
    const { top, runId } = await paid({ perform: async () => failed });
    expect(await branch(top, runId, 0, MORE, { kind: 'retry-run' })).toMatchObject(refusedAt(runId));
    expect(await branch(top, runId, 0, {}, { kind: 'retry-run' })).toMatchObject(TAKEN);
  });
});

const settled = (settings: Record<string, Json>) => [
  { ...gatedBoss(settings, { outputMapping: { report: 'text' } }), ...AMOUNT },
  worker('writer', { text: 'draft' }),
  worker('critic', { verdict: 'pass' }),
];
const ASKING = line('asking', [gate('ok')], { variables: declare({ approved: 'yes' }) });
const PARENT = line('parent', [child('ask', 'asking'), effect('pay')], AMOUNT);
const UNSURE = { ...hand('writer'), confidence: 0.2 };
type Answer = readonly [below: string, nodeId: string, value?: Json];

/** What happened before the cut, and whether it was granted for the values of then. */
describe('a branch with other values at the end of a run', () => {
  it.each<[string, readonly Config[], readonly Answer[], boolean]>([
    [
      'is refused for one vote of several',
      [line('w', [gate('ok', { requiredApprovals: 2 }), effect('pay')], AMOUNT)],
      [['', 'ok', { action: 'accept', voter: 'bo' }]],
      false,
    ],
    ['is refused while a person is shown the values', [line('w', [showing('ok')], AMOUNT)], [], false],
    ['is taken while a person is shown nothing', [PAYMENT], [], true],
    [
      'is taken behind a rejection that the workflow went on after',
      [line('w', [gate('ok', { onReject: 'continue' }), effect('pay')], AMOUNT)],
      [['', 'ok', { action: 'reject' }]],
      true,
    ],
    [
      'is refused behind an approval that changed what it approved',
      [line('w', [showing('ok', { actions: ['accept', 'edit-accept'] }), effect('pay')], AMOUNT)],
      [['', 'ok', { action: 'edit-accept', editedArtifactData: { amount: 9 } }]],
      false,
    ],
    ['is refused for an approval inside a child that has ended', [PARENT, ASKING], [['.1', 'ok']], false],
    [
      'is refused for one inside a grandchild',
      [line('top', [child('call', 'parent'), gate('last')], AMOUNT), PARENT, ASKING],
      [['.1.1', 'ok']],
      false,
    ],
    ['is refused behind a verdict', settled({ verifier: { workflowId: 'critic' } }), [], false],
    ['is refused behind an attestation', settled({ outputAttestation: { checksum: true } }), [], false],
    ['is taken behind a worker that nobody judged', settled({}), [], true],
    [
      'is refused behind a decision that a person let pass',
      [{ ...boss([UNSURE, TERMINATE]), ...AMOUNT }, worker('writer')],
      [['', 'supervisor']],
      false,
    ],
  ])('%s', async (_what, definitions, answers, isTaken) => {
    const top = await startTestEngine();
    const runId = await begin(top, definitions);
    for (const [below, nodeId, value] of answers) await answer(top, runId + below, nodeId, value);
    const isOver = (await top.types(runId)).at(-1)?.startsWith('run.') === true;
    const { length } = await top.events(runId);
    const reply = await branch(top, runId, isOver ? length - 1 : length, MORE);
    expect(reply).toMatchObject(isTaken ? TAKEN : refusedAt(runId));
    if (reply.ok) return;
    // At the index that the refusal names, whatever was granted is asked for again.
    const index = Number(reply.error.details?.earliestApproval);
    expect(await branch(top, runId, index, MORE)).toMatchObject(TAKEN);
  });

  it('is sent back to the first of several grants, not to the question that is open', async () => {
    const top = await startTestEngine();
    const runId = await begin(top, [line('twice', [gate('one'), showing('two')], AMOUNT)]);
    await answer(top, runId, 'one');
    const first = (await after(top, runId, 'node.started', 'one')) - 1;
    const { length } = await top.events(runId);
    expect(await branch(top, runId, length, MORE)).toMatchObject(refusedAt(runId, first));
    expect(await branch(top, runId, first, MORE)).toMatchObject(TAKEN);
  });

  it('is refused for a child alone, for what was granted below it', async () => {
    const top = await startTestEngine();
    const runId = await begin(top, [
      line('top', [child('call', 'parent'), gate('last')], AMOUNT),
      PARENT,
      ASKING,
    ]);
    await answer(top, `${runId}.1.1`, 'ok');
    const below = `${runId}.1`;
    expect(await branch(top, below, await end(top, below), MORE)).toMatchObject(refusedAt(below));
  });

  it('is refused for a child whose parent was approved before it began', async () => {
    const top = await startTestEngine();
    const runId = await begin(top, [
      line('top', [gate('ok'), child('call', 'worker')], AMOUNT),
      line('worker', [node('a', 'core.noop'), effect('pay')], AMOUNT),
    ]);
    await answer(top, runId, 'ok');
    const reply = await branch(top, `${runId}.1`, await end(top, `${runId}.1`), MORE);
    expect(reply).toMatchObject(refusedAt(runId));
    expect(reply).toMatchObject({ error: { message: expect.stringContaining(`Branch run ${runId} at`) } });
    // Also from its very beginning, where nothing is shared but the values that it was given.
    expect(await branch(top, `${runId}.1`, 0, MORE)).toMatchObject(refusedAt(runId));
    expect(await branch(top, `${runId}.1`, 0, {})).toMatchObject(TAKEN);
  });

  it('is not refused for what happened after the cut in the run that it came from', async () => {
    const top = await startTestEngine();
    const source = await begin(top, [PARENT, ASKING]);
    const first = await fork(top, source, { mode: 'branch', fromSeq: (await top.events(source)).length });
    await answer(top, `${source}.1`, 'ok');
    expect(await branch(top, first, (await top.events(first)).length, MORE)).toMatchObject(TAKEN);
    await answer(top, `${first}.1`, 'ok');
    expect(await branch(top, first, await end(top, first), MORE)).toMatchObject(refusedAt(first));
  });
});

it('A branch that changes nothing costs no look at the history', async () => {
  let read = 0;
  const top = await startTestEngine({
    wrap: (store) => ({
      ...store,
      placedEvents: (...asked) => {
        read += 1;
        return store.placedEvents(...asked);
      },
    }),
  });
  const many = Array.from({ length: 20 }, (_, at) => child(`c${at}`, 'worker'));
  const runId = await begin(top, [
    line('many', [...many, gate('ok')]),
    workflow('worker', [node('a', 'core.noop')]),
  ]);
  read = 0;
  expect(await branch(top, runId, (await top.events(runId)).length)).toMatchObject(TAKEN);
  expect(read).toBeLessThan(5);
});
