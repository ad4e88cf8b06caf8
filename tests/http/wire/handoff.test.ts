import { afterAll, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { sharedHost } from '../host.ts';
import { type Bag, boss, declare, END, line, node, to, worker } from './definitions.ts';
import { type Observed, observing } from './observing.ts';

/** Handoffs and mappings as clients see them: chain events with their causes, snapshots of parent and child. */

const OUT = { outputMapping: { result: 'out' } };
const waiting = line('waits', [node('gate', 'core.approvalGate', { title: 'Go on?' })], {
  variables: declare({ out: 'approved' }),
});
const bad = line('bad', [node('break', 'core.fail', { code: 'it_broke', message: 'as told' })], {
  variables: declare({ out: 'never' }),
});
const needy = line('needy', [node('work', 'core.noop')], {
  variables: [{ name: 'topic', type: 'string', required: true }],
});
const mapped = (id: string, dispatch: Bag, workers: readonly string[], values: Bag = {}) => ({
  ...boss(id, [to(...workers), END], dispatch),
  variables: declare(values),
});
const calls = (id: string, config: Bag, more: Bag = {}) =>
  line(id, [node('call', 'core.subWorkflow', config)], more);

const WORKFLOWS = [
  worker('good', { out: 'x' }),
  worker('other', { out: 'y' }),
  waiting,
  bad,
  needy,
  boss('happy', [to('good'), END], OUT),
  boss('bare', [to('good'), END]),
  boss('fails', [to('bad'), END], OUT),
  boss('nobody-there', [to('nobody', 'good'), END], OUT),
  boss('lacks-input', [to('needy'), END], OUT),
  boss('waiting', [to('waits'), END], OUT),
  boss('fan-out', [to('good', 'bad', 'other'), END], OUT),
  mapped('inputs', { inputMapping: { text: 'word', gone: 'unset' } }, ['good'], { word: 'hello', other: 1 }),
  mapped('relay', { outputMapping: { passed: 'out' }, inputMapping: { seen: 'passed' } }, ['good', 'other']),
  mapped(
    'per-worker',
    {
      inputMapping: { text: 'word' },
      perWorkerInputMappings: { good: { only: 'word' }, other: {} },
      outputMapping: { result: 'out' },
      perWorkerOutputMappings: { other: {} },
    },
    ['good', 'other', 'good'],
    { word: 'hello' },
  ),
  calls(
    'seeds',
    { workflowId: 'good', inputMapping: { out: 'word' } },
    { variables: declare({ word: 'seeded' }) },
  ),
  calls('unset-seed', { workflowId: 'good', inputMapping: { out: 'missing' } }),
  calls('fails-along', { workflowId: 'bad', outputMapping: { result: 'out' } }),
  calls('absorbs', { workflowId: 'bad', outputMapping: { result: 'out' }, onChildFailure: 'absorb' }),
  line(
    'lets-go',
    [
      node('call', 'core.subWorkflow', {
        workflowId: 'waits',
        waitForCompletion: false,
        inputMapping: { out: 'word' },
      }),
      node('change', 'vendor.baton.set', { assign: { word: '"later"' } }),
    ],
    { variables: declare({ word: 'at first' }) },
  ),
];
const { run, after, look, cancel, settle, answer } = observing(() => host);
const host = await sharedHost({ testSeams: true, workflows: WORKFLOWS });
afterAll(() => host.stop());

const decision = (seen: Observed) => seen.of('runOrchestrator.decided')[0]!.eventId;
const first = (seen: Observed) => look(`${seen.runId}.1`);

/** Each chain event of a worker is caused by the one before it, and the first one by the decision. */
function expectChain(seen: Observed, workerId: string, phases: readonly string[]): void {
  const chain = seen.chain(workerId);
  expect(chain.map(({ payload }) => payload.phase)).toEqual(phases);
  const causes = [decision(seen), ...chain.map(({ eventId }) => eventId)];
  expect(chain.map(({ causationId }) => causationId)).toEqual(causes.slice(0, -1));
  for (const { payload } of chain) {
    expect(payload).toMatchObject({ workerId, parentRunId: seen.runId });
    const has = !['dispatch.began', 'dispatch.failed'].includes(payload.phase);
    expect('childRunId' in payload, payload.phase).toBe(has);
    const fails = ['dispatch.failed', 'child.failed', 'child.cancelled'].includes(payload.phase);
    expect(typeof payload.error?.code).toBe(fails ? 'string' : 'undefined');
    const known = ['phase', 'workerId', 'parentRunId', 'childRunId', 'harvestedKeys', 'error', 'attestation'];
    expect(Object.keys(payload).filter((key) => !known.includes(key))).toEqual([]);
  }
}

describe('a handoff over HTTP', () => {
  it.each([
    [
      'SCEN-02 SCEN-05 HAND-01 HAND-06 HAND-07 HAND-08 HAND-10 HAND-13 HAND-14 HAND-21 HAND-22 HAND-23 HAND-24 HAND-27 HAND-33 completes in four events',
      'happy',
      'good',
      ['dispatch.began', 'dispatch.succeeded', 'child.completed', 'output.harvested'],
      { result: 'x' },
    ],
    [
      'HAND-18 ends at child.completed without a mapping',
      'bare',
      'good',
      ['dispatch.began', 'dispatch.succeeded', 'child.completed'],
      {},
    ],
    [
      'SCEN-02 SCEN-05 HAND-04 HAND-11 HAND-17 HAND-25 MAP-09 FAIL-02 brings nothing home from a worker that failed',
      'fails',
      'bad',
      ['dispatch.began', 'dispatch.succeeded', 'child.failed'],
      {},
    ],
    [
      'HAND-09 HAND-28 ends at dispatch.failed for a worker that does not exist',
      'nobody-there',
      'nobody',
      ['dispatch.began', 'dispatch.failed'],
      { result: 'x' },
    ],
    [
      'HAND-03 HAND-28 ends at dispatch.failed for a worker that lacks an input',
      'lacks-input',
      'needy',
      ['dispatch.began', 'dispatch.failed'],
      {},
    ],
  ])('%s', async (_what, workflowId, workerId, phases, variables) => {
    const seen = await run(workflowId);
    expectChain(seen, workerId, phases);
    expect(seen.snapshot).toMatchObject({ status: 'completed', variables });
    expect(Object.keys(seen.snapshot.variables)).toEqual(Object.keys(variables));
  });

  it('HAND-16 names the parent keys that are harvested', async () => {
    const harvested = (await run('happy')).chain().at(-1);
    expect(harvested?.payload.harvestedKeys).toEqual(['result']);
  });

  it('gives each worker of a decision a chain of its own, rooted in the decision', async () => {
    verifies('HAND-02', 'HAND-15', 'SCEN-05');
    const seen = await run('fan-out');
    const began = seen.chain().filter(({ payload }) => payload.phase === 'dispatch.began');
    expect(began.map(({ causationId }) => causationId)).toEqual(Array(3).fill(decision(seen)));
    for (const workerId of ['good', 'bad', 'other']) {
      expectChain(seen, workerId, seen.phases(workerId));
      expect(seen.phases(workerId)[0]).toBe('dispatch.began');
    }
    expect(seen.snapshot.variables).toEqual({ result: 'y' });
  });

  it('HAND-29 HAND-30 HAND-31 is readable while the child waits, and the parent waits with it', async () => {
    const seen = await run('waiting');
    expect(seen.phases()).toEqual(['dispatch.began', 'dispatch.succeeded']);
    const child = await first(seen);
    expect(seen.of('node.dispatched')[0]?.payload).toMatchObject({
      childRunId: child.runId,
      childWorkflowId: 'waits',
    });
    expect([seen.snapshot.status, child.snapshot.status]).toEqual(['waiting-approval', 'waiting-approval']);
    expect(seen.snapshot.childRuns).toMatchObject([{ runId: child.runId, status: 'waiting-approval' }]);
    expect(child.snapshot).toMatchObject({ parentRunId: seen.runId, parentNodeId: 'hand' });
    const done = await after(child.runId, 'gate', { action: 'accept' }, seen.runId);
    expect(done.snapshot).toMatchObject({ status: 'completed', variables: { result: 'approved' } });
  });

  it('a cancelled child is told as cancelled, and the loop goes on', async () => {
    verifies('HAND-12', 'HAND-19', 'HAND-20', 'LOOP-12', 'SCEN-02', 'SCEN-05');
    const seen = await run('waiting');
    await cancel(`${seen.runId}.1`);
    const done = await settle(seen.runId);
    expectChain(done, 'waits', ['dispatch.began', 'dispatch.succeeded', 'child.cancelled']);
    expect([done.snapshot.status, done.snapshot.variables]).toEqual(['completed', {}]);
    const outputs = done.of('node.completed').find(({ nodeId }) => nodeId === 'hand')?.payload.outputs;
    expect(outputs).toMatchObject({ childStatus: 'cancelled' });
  });

  it('a cancelled parent takes its children along, and their questions can no longer be answered', async () => {
    verifies('HAND-32', 'MAP-09');
    const seen = await run('waiting');
    const done = await cancel(seen.runId);
    const child = await first(seen);
    expect([done.snapshot.status, child.snapshot.status]).toEqual(['cancelled', 'cancelled']);
    expect(done.phases()).toEqual(['dispatch.began', 'dispatch.succeeded', 'child.cancelled']);
    expect([404, 409, 410]).toContain(await answer(child.runId, 'gate', { action: 'accept' }));
    expect(done.snapshot.variables).toEqual({});
  });

  it('HAND-26 CAP-11 CAP-14 emits no chain events while the execution model is switched off', async () => {
    const toggle = (value: boolean | null) =>
      host.post('/v1/host/sample/test/capability-toggle', { name: 'multiAgent.executionModel', value });
    expect((await toggle(false)).status).toBe(200);
    const seen = await run('happy');
    await toggle(null);
    expect(seen.phases()).toEqual([]);
    expect(seen.snapshot).toMatchObject({ status: 'completed', variables: { result: 'x' } });
    expect((await run('happy')).phases()).toHaveLength(4);
  });
});

describe('mappings over HTTP', () => {
  it('give the child what is mapped, never null and nothing else', async () => {
    verifies('MAP-03', 'MAP-06', 'MAP-07', 'MAP-23', 'READ-05', 'SCEN-01');
    const child = await first(await run('inputs'));
    expect(child.snapshot.inputs).toEqual({ text: 'hello' });
    expect(child.snapshot.variables).toEqual({ out: 'x', text: 'hello' });
  });

  it('MAP-22 give nothing where there is no mapping', async () => {
    const seen = await run('bare');
    expect((await first(seen)).snapshot.inputs).toEqual({});
    expect(seen.snapshot.variables).toEqual({});
  });

  it('MAP-04 MAP-08 MAP-19 HAND-05 SCEN-03 bring home what the next worker is given', async () => {
    const seen = await run('relay');
    expect((await look(`${seen.runId}.2`)).snapshot.inputs).toEqual({ seen: 'x' });
    expect(seen.snapshot.variables).toEqual({ passed: 'y' });
  });

  it('of a worker take the place of the default ones, also when they are empty', async () => {
    verifies('MAP-05', 'MAP-20', 'SCEN-03');
    const seen = await run('per-worker');
    const inputs = [];
    for (const number of [1, 2, 3]) inputs.push((await look(`${seen.runId}.${number}`)).snapshot.inputs);
    expect(inputs).toEqual([{ only: 'hello' }, {}, { only: 'hello' }]);
    expect(seen.phases('other')).toEqual(['dispatch.began', 'dispatch.succeeded', 'child.completed']);
    expect(seen.snapshot.variables).toEqual({ word: 'hello', result: 'x' });
  });

  it.each([
    ['SCEN-04 MAP-12 MAP-14 over the defaults of a sub-workflow', 'seeds', { out: 'seeded' }],
    ['SCEN-04 MAP-15 and take a default away where the parent has nothing', 'unset-seed', {}],
  ])('%s', async (_what, workflowId, variables) => {
    expect((await first(await run(workflowId))).snapshot.variables).toEqual(variables);
  });

  it.each([
    ['fail-parent', 'fails-along', 'failed', 'child_failed'],
    ['absorb', 'absorbs', 'completed', undefined],
  ])('MAP-25 MAP-09 a failed sub-workflow follows onChildFailure (%s)', async (_policy, id, status, code) => {
    const { snapshot } = await run(id);
    expect([snapshot.status, snapshot.error?.code, snapshot.variables]).toEqual([status, code, {}]);
  });

  it('a sub-workflow that is not waited for goes on by itself, with the values of its start', async () => {
    verifies('MAP-25', 'SCEN-04');
    const seen = await run('lets-go');
    expect(seen.snapshot).toMatchObject({ status: 'completed', variables: { word: 'later' } });
    const child = await first(seen);
    expect(child.snapshot).toMatchObject({ status: 'waiting-approval', variables: { out: 'at first' } });
    const done = await after(child.runId, 'gate', { action: 'accept' });
    expect(done.snapshot).toMatchObject({ status: 'completed', variables: { out: 'at first' } });
  });

  it.each([
    ['agents.dispatchMapping', () => boss('refused', [END], OUT)],
    ['subWorkflow.inputMapping', () => calls('refused', { workflowId: 'good', inputMapping: { a: 'b' } })],
  ])('are refused where %s is switched off', async (name, definition) => {
    verifies('MAP-10', 'MAP-11', 'MAP-17', 'MAP-18', 'SEAM-01', 'FAIL-03', 'SCEN-01', 'SCEN-04');
    const toggle = (value: boolean | null) =>
      host.post('/v1/host/sample/test/capability-toggle', { name, value });
    await toggle(false);
    const { status, body } = await host.post('/v1/workflows', definition());
    await toggle(null);
    expect([status, body.error]).toEqual([400, 'validation_error']);
    expect(body.details.requiredCapability).toBe(name);
  });

  it.each(['inputMapping', 'outputMapping', 'perWorkerInputMappings', 'perWorkerOutputMappings'])(
    'MAP-02 are objects of names: text as %s is refused',
    async (field) => {
      const { status, body } = await host.post('/v1/workflows', boss('refused', [END], { [field]: 'x' }));
      expect([status, body.error]).toEqual([400, 'validation_error']);
      expect(body.details.field).toContain(field);
    },
  );

  it('MAP-01 MAP-21 register with a warning where they name a variable that is not declared', async () => {
    const { status, body } = await host.post('/v1/workflows', boss('warned', [END], OUT));
    expect(status).toBe(201);
    expect(body.warnings.join()).toContain('"result"');
  });
});
