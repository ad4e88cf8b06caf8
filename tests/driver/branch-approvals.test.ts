import type { Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import {
  boss,
  declare,
  hand,
  node,
  TERMINATE,
  workflow,
} from '../../packages/engine/src/testkit/workflows.ts';
import { after, answer, child, effect, fork, gate, line, quiet } from './forking.ts';
import { type Bench, CALLER, startTestEngine } from './test-engine.ts';

/** What was approved was approved for the values of then: a branch does not carry it over to others. */

const RUNNER = ['runs:create', 'runs:read'];
const OVERRIDER = [...RUNNER, 'approvals:override'];
const AMOUNT = { variables: declare({ amount: 10 }) };
const MORE = { variables: { amount: 1_000_000 } };
const SHOWN = { inputs: { amount: { type: 'variable', variableName: 'amount' } } };

type Overlay = Record<string, unknown>;

interface Asked {
  readonly scopes?: readonly string[];
  readonly kind?: 'fork-run' | 'retry-run';
}

async function branch(
  top: Bench,
  runId: string,
  fromSeq: number,
  runOptionsOverlay: Overlay = {},
  { scopes = RUNNER, kind = 'fork-run' }: Asked = {},
) {
  const body = kind === 'fork-run' ? { mode: 'branch', fromSeq, runOptionsOverlay } : { runOptionsOverlay };
  const reply = await top.execute({ kind, caller: CALLER, runId, scopes, body } as never);
  await quiet();
  return reply;
}

async function begin(top: Bench, workflowId: string, scopes: readonly string[] = RUNNER): Promise<string> {
  const reply = await top.execute({ kind: 'create-run', caller: CALLER, scopes, body: { workflowId } });
  if (!reply.ok || reply.value.kind !== 'run') throw new Error(JSON.stringify(reply));
  await quiet();
  return reply.value.runId;
}

const end = async (top: Bench, runId: string) => (await top.events(runId)).length - 1;
const refusedAt = (runId: string, earliestApproval: unknown = expect.any(Number)) => ({
  ok: false,
  error: { error: 'forbidden', details: { scope: 'approvals:override', runId, earliestApproval } },
});
const overlaid = async (top: Bench, runId: string) =>
  (await top.events(runId)).find(({ type }) => type === 'baton.run.branched')?.payload;

/** An approval of what is on the inputs, and an effect behind it. */
const payment = line('payment', [gate('ok'), effect('pay')], AMOUNT);

async function paid(top: Bench): Promise<string> {
  await top.register(payment);
  const runId = await begin(top, 'payment');
  await answer(top, runId, 'ok');
  expect(top.performed).toHaveLength(1);
  return runId;
}

describe('a branch behind an approval', () => {
  it.each<[string, Overlay]>([
    ['a variable', MORE],
    ['a variable that was not there', { variables: { more: 1 } }],
    ['the configuration', { configurable: { model: 'other' } }],
    ['a limit', { configurable: { recursionLimit: 3 } }],
  ])('is refused where it changes %s, and nothing happens', async (_what, overlay) => {
    const top = await startTestEngine();
    const runId = await paid(top);
    const started = (await after(top, runId, 'node.started', 'ok')) - 1;
    for (
      let fromSeq = await after(top, runId, 'node.completed', 'ok');
      fromSeq <= (await end(top, runId));
      fromSeq += 1
    ) {
      expect(await branch(top, runId, fromSeq, overlay)).toMatchObject(refusedAt(runId, started));
    }
    expect(top.performed).toHaveLength(1);
    expect((await top.reads.runs({ tenant: CALLER.tenant, limit: 10 })).items).toHaveLength(1);
  });

  it('is taken at the index that the refusal names, and asks again', async () => {
    const top = await startTestEngine();
    const runId = await paid(top);
    const refused = await branch(top, runId, await end(top, runId), MORE);
    const index = refused.ok ? -1 : Number(refused.error.details?.earliestApproval);
    const again = await branch(top, runId, index, MORE);
    expect(again).toMatchObject({ ok: true, value: { status: 'waiting-approval' } });
    expect(top.performed).toHaveLength(1);
  });

  it('is taken where it changes nothing that counts', async () => {
    const top = await startTestEngine();
    const runId = await paid(top);
    for (const overlay of [{}, { variables: { amount: 10 } }, { tags: ['x'], metadata: { why: 'a look' } }]) {
      expect(
        await branch(top, runId, await after(top, runId, 'node.completed', 'ok'), overlay),
      ).toMatchObject({
        ok: true,
      });
    }
    expect(top.performed).toHaveLength(4);
  });

  it('is taken with the right to override approvals, and the log says whose it was', async () => {
    const top = await startTestEngine();
    const runId = await paid(top);
    const asked = { scopes: OVERRIDER };
    const reply = await branch(top, runId, await after(top, runId, 'node.completed', 'ok'), MORE, asked);
    if (!reply.ok || reply.value.kind !== 'fork') throw new Error(JSON.stringify(reply));
    const started = (await after(top, runId, 'node.started', 'ok')) - 1;
    expect(await overlaid(top, reply.value.runId)).toMatchObject({
      overridden: { by: CALLER.principal, runId, earliestApproval: started },
    });
    const plain = await branch(top, runId, await after(top, runId, 'node.completed', 'ok'), {}, asked);
    if (!plain.ok || plain.value.kind !== 'fork') throw new Error(JSON.stringify(plain));
    expect(await overlaid(top, plain.value.runId)).not.toHaveProperty('overridden');
  });

  it('is refused where it acts with other scopes than the run that was approved', async () => {
    const top = await startTestEngine();
    await top.register(payment);
    const runId = await begin(top, 'payment', [...RUNNER, 'artifacts:read']);
    await answer(top, runId, 'ok');
    const fromSeq = await after(top, runId, 'node.completed', 'ok');
    expect(await branch(top, runId, fromSeq)).toMatchObject(refusedAt(runId));
    const same = { scopes: ['artifacts:read', ...RUNNER, 'workflows:write'] };
    expect(await branch(top, runId, fromSeq, {}, same)).toMatchObject({ ok: true });
  });

  it('is refused for one vote of several, which would count for other values', async () => {
    const top = await startTestEngine();
    await top.register(line('w', [gate('ok', { requiredApprovals: 2 }), effect('pay')], AMOUNT));
    const runId = await begin(top, 'w');
    await answer(top, runId, 'ok', { action: 'accept', voter: 'bo' });
    const { length } = await top.events(runId);
    expect(await branch(top, runId, length, MORE)).toMatchObject(refusedAt(runId));
  });

  it('is refused while a person is shown the values that it would change, and taken where nothing is shown', async () => {
    const top = await startTestEngine();
    const showing = { ...gate('ok'), ...SHOWN };
    await top.register(line('showing', [showing, effect('pay')], AMOUNT), payment);
    const shown = await begin(top, 'showing');
    expect(await branch(top, shown, (await top.events(shown)).length, MORE)).toMatchObject(refusedAt(shown));
    const bare = await begin(top, 'payment');
    expect(await branch(top, bare, (await top.events(bare)).length, MORE)).toMatchObject({ ok: true });
  });

  it('is taken behind a rejection that the workflow went on after', async () => {
    const top = await startTestEngine();
    await top.register(line('w', [gate('ok', { onReject: 'continue' }), effect('pay')], AMOUNT));
    const runId = await begin(top, 'w');
    await answer(top, runId, 'ok', { action: 'reject' });
    expect(await branch(top, runId, await end(top, runId), MORE)).toMatchObject({ ok: true });
  });

  it('is refused for a branch of a branch, with what was approved in the first run', async () => {
    const top = await startTestEngine();
    const runId = await paid(top);
    const first = await fork(top, runId, {
      mode: 'branch',
      fromSeq: await after(top, runId, 'node.completed', 'ok'),
    });
    expect(await branch(top, first, await end(top, first), MORE)).toMatchObject(refusedAt(first));
    const second = await fork(top, first, { mode: 'branch', fromSeq: await end(top, first) });
    expect(await branch(top, second, await end(top, second), MORE)).toMatchObject(refusedAt(second));
  });

  it('is refused after a restart, from what is stored', async () => {
    const before = await startTestEngine();
    const runId = await paid(before);
    const top = await before.crash();
    expect(await branch(top, runId, await end(top, runId), MORE)).toMatchObject(refusedAt(runId));
  });

  it('is refused as a retry', async () => {
    const top = await startTestEngine({
      perform: async () => ({ kind: 'failed', error: { code: 'x', message: 'x' }, retryable: false }),
    });
    const runId = await paid(top);
    expect(await top.status(runId)).toBe('failed');
    expect(await branch(top, runId, 0, MORE, { kind: 'retry-run' })).toMatchObject(refusedAt(runId));
    expect(await branch(top, runId, 0, {}, { kind: 'retry-run' })).toMatchObject({ ok: true });
  });
});

describe('a branch behind what a child was granted', () => {
  const asking = line('asking', [gate('ok')], { variables: declare({ approved: 'yes' }) });
  const parent = line('parent', [child('ask', 'asking'), effect('pay')], AMOUNT);

  it('is refused for an approval inside a child that has ended, and asks again where the child was called', async () => {
    const top = await startTestEngine();
    await top.register(parent, asking);
    const runId = await begin(top, 'parent');
    await answer(top, `${runId}.1`, 'ok');
    expect(await top.status(runId)).toBe('completed');
    const refused = await branch(top, runId, await end(top, runId), MORE);
    expect(refused).toMatchObject(refusedAt(runId));
    const index = refused.ok ? -1 : Number(refused.error.details?.earliestApproval);
    const again = await branch(top, runId, index, MORE);
    expect(again).toMatchObject({ ok: true, value: { status: 'waiting-approval' } });
  });

  it('is refused for one inside a grandchild, and for a child that is branched off alone', async () => {
    const top = await startTestEngine();
    await top.register(line('top', [child('call', 'parent'), gate('last')], AMOUNT), parent, asking);
    const runId = await begin(top, 'top');
    await answer(top, `${runId}.1.1`, 'ok');
    expect(await branch(top, runId, (await top.events(runId)).length, MORE)).toMatchObject(refusedAt(runId));
    const below = `${runId}.1`;
    expect(await branch(top, below, await end(top, below), MORE)).toMatchObject(refusedAt(below));
  });

  it('is refused for a child whose parent was approved before it began', async () => {
    const top = await startTestEngine();
    await top.register(
      line('top', [gate('ok'), child('call', 'worker')], AMOUNT),
      line('worker', [node('a', 'core.noop'), effect('pay')], AMOUNT),
    );
    const runId = await begin(top, 'top');
    await answer(top, runId, 'ok');
    const reply = await branch(top, `${runId}.1`, await end(top, `${runId}.1`), MORE);
    expect(reply).toMatchObject(refusedAt(runId));
    expect(reply).toMatchObject({ error: { message: expect.stringContaining(`Branch run ${runId} at`) } });
    // Also from its very beginning, where nothing is shared but the values that it was given.
    expect(await branch(top, `${runId}.1`, 0, MORE)).toMatchObject(refusedAt(runId));
    expect(await branch(top, `${runId}.1`, 0, {})).toMatchObject({ ok: true });
  });

  it('is not held against a branch for what happened after it in the run that it came from', async () => {
    const top = await startTestEngine();
    await top.register(parent, asking);
    const source = await begin(top, 'parent');
    const first = await fork(top, source, { mode: 'branch', fromSeq: (await top.events(source)).length });
    await answer(top, `${source}.1`, 'ok');
    const second = await branch(top, first, (await top.events(first)).length, MORE);
    expect(second).toMatchObject({ ok: true });
    await answer(top, `${first}.1`, 'ok');
    expect(await branch(top, first, await end(top, first), MORE)).toMatchObject(refusedAt(first));
  });

  const gated = (settings: Record<string, Json>) => {
    const definition = boss([hand('writer'), TERMINATE], { outputMapping: { report: 'text' } }) as {
      nodes: Record<string, unknown>[];
    };
    definition.nodes[1] = { ...definition.nodes[1], settings };
    return definition;
  };
  const writer = workflow('writer', [node('work', 'core.noop')], { variables: declare({ text: 'draft' }) });
  const critic = workflow('critic', [node('judge', 'core.noop')], {
    variables: declare({ verdict: 'pass' }),
  });

  it.each<[string, Record<string, Json>, boolean]>([
    ['a verdict', { verifier: { workflowId: 'critic' } }, true],
    ['an attestation', { outputAttestation: { checksum: true } }, true],
    ['nothing', {}, false],
  ])('is judged by what stood at the gate: %s', async (_what, settings, isCovered) => {
    const top = await startTestEngine();
    await top.register(gated(settings), writer, critic);
    const runId = await begin(top, 'boss');
    expect(await top.status(runId)).toBe('completed');
    const reply = await branch(top, runId, await end(top, runId), { variables: { report: 'another' } });
    expect(reply).toMatchObject(isCovered ? refusedAt(runId) : { ok: true });
  });

  it('is refused behind a decision that a person let pass, though the supervisor was not sure', async () => {
    const top = await startTestEngine();
    const unsure = { ...hand('writer'), confidence: 0.2 };
    await top.register(boss([unsure, TERMINATE], {}), writer);
    const runId = await begin(top, 'boss');
    expect(await top.status(runId)).toBe('waiting-approval');
    await answer(top, runId, 'supervisor');
    expect(await branch(top, runId, await end(top, runId), { variables: { x: 1 } })).toMatchObject(
      refusedAt(runId),
    );
  });
});

it('costs a branch that changes nothing no look at the history', async () => {
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
  await top.register(line('many', [...many, gate('ok')]), line('worker', [node('a', 'core.noop')]));
  const runId = await begin(top, 'many');
  read = 0;
  expect(await branch(top, runId, (await top.events(runId)).length)).toMatchObject({ ok: true });
  expect(read).toBeLessThan(5);
});
