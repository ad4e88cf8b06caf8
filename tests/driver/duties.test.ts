import { describe, expect, it } from 'vitest';
import { gatedBoss, worker } from '../../packages/conformance/src/testkit/workflows.ts';
import { child, line, quiet } from './forking.ts';
import { answerTo, type Bench, CALLER, creationOf, runIdOf, startTestEngine } from './test-engine.ts';

/** Where duties are separate, whoever started or branched anything that a run comes from may not approve in it. */

const writer = worker('writer', { text: 'draft' });
const SEPARATE = { outputAttestation: { requireApproval: true, separationOfDuties: true } };
const guarded = () => gatedBoss(SEPARATE, { outputMapping: { report: 'text' } });
const above = line('above', [child('call', 'boss')]);

const as = (principal: string) => ({ tenant: CALLER.tenant, principal });

async function start(top: Bench, workflowId: string, who: string): Promise<string> {
  const runId = runIdOf(await top.execute({ ...creationOf(workflowId), caller: as(who) }));
  await quiet();
  return runId;
}

async function fork(top: Bench, runId: string, who: string, body: object): Promise<string> {
  const command = { kind: 'fork-run', caller: as(who), runId, body: body as never } as const;
  const twin = runIdOf(await top.execute(command));
  await quiet();
  return twin;
}

const branch = async (top: Bench, runId: string, who: string, fromSeq?: number) =>
  fork(top, runId, who, { mode: 'branch', fromSeq: fromSeq ?? (await top.events(runId)).length });

async function accept(top: Bench, runId: string, who: string): Promise<string> {
  const reply = await top.execute({ ...answerTo(runId, 'dispatch'), caller: as(who) });
  await quiet();
  return reply.ok ? 'accepted' : reply.error.error;
}

async function expectApprover(top: Bench, runId: string, refused: readonly string[], approver: string) {
  for (const who of refused) expect([who, await accept(top, runId, who)]).toEqual([who, 'forbidden']);
  expect(await accept(top, runId, approver)).toBe('accepted');
}

describe('separate duties', () => {
  it('hold for whoever started what was branched, at the gate and from the beginning', async () => {
    const top = await startTestEngine();
    await top.register(guarded(), writer);
    const source = await start(top, 'boss', 'ana');
    await expectApprover(top, await branch(top, source, 'bo'), ['ana', 'bo'], 'cy');
    await expectApprover(top, await branch(top, source, 'bo', 0), ['ana', 'bo'], 'cy');
    await expectApprover(top, source, ['ana'], 'bo');
  });

  it('hold over branches of branches, and over a restart', async () => {
    const before = await startTestEngine();
    await before.register(guarded(), writer);
    const first = await branch(before, await start(before, 'boss', 'ana'), 'bo');
    const second = await branch(before, first, 'cy');
    const third = await branch(before, second, 'ana');
    const top = await before.crash();
    await expectApprover(top, third, ['ana', 'bo', 'cy'], 'di');
    await expectApprover(top, second, ['ana', 'bo', 'cy'], 'di');
  });

  it('hold over a replay, which keeps no starters of its own', async () => {
    const top = await startTestEngine();
    await top.register(guarded(), writer);
    const first = await branch(top, await start(top, 'boss', 'ana'), 'bo');
    const again = await branch(top, await fork(top, first, 'bo', { mode: 'replay' }), 'cy');
    await expectApprover(top, again, ['ana', 'bo', 'cy'], 'di');
  });

  it('hold in children: those under way at the cut, those begun later, and those branched off alone', async () => {
    const top = await startTestEngine();
    await top.register(above, guarded(), writer);
    const source = await start(top, 'above', 'ana');
    const underWay = await branch(top, source, 'bo');
    const begunLater = await branch(top, source, 'bo', 1);
    const alone = await branch(top, `${begunLater}.1`, 'cy');
    await expectApprover(top, alone, ['ana', 'bo', 'cy'], 'di');
    await expectApprover(top, `${underWay}.1`, ['ana', 'bo'], 'di');
    await expectApprover(top, `${begunLater}.1`, ['ana', 'bo'], 'di');
  });
});
