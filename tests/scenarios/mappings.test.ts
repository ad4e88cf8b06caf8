import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedHost, type TestHost } from '../http/host.ts';
import { type Bag, boss, declare, END, line, node, to, worker } from '../http/wire/definitions.ts';
import { observing } from '../http/wire/observing.ts';
import { verifies } from '../verifies.ts';

/** The scenarios of the protocol about variables that cross between a parent and its children, from end to end. */

const supervised = (id: string, workers: readonly string[], dispatch: Bag, values: Bag) => ({
  ...boss(id, [to(...workers), END], dispatch),
  variables: declare(values),
});
const fails = line('fails', [node('break', 'core.fail')], { variables: declare({ result: 'never' }) });
const waits = line('waits', [node('gate', 'core.approvalGate', { title: 'Go on?' })], {
  variables: declare({ result: 'never' }),
});
const sub = (id: string, config: Bag, values: Bag) =>
  line(id, [node('call', 'core.subWorkflow', config)], { variables: declare(values) });

const WORKFLOWS = [
  worker('echo', { result: 'done' }),
  worker('second', { result: 'again' }),
  fails,
  waits,
  supervised('input', ['echo'], { inputMapping: { text: 'topic', missing: 'unset' } }, { topic: 'owls' }),
  supervised('output', ['echo'], { outputMapping: { answer: 'result' } }, { answer: 'before' }),
  supervised('failed', ['fails'], { outputMapping: { answer: 'result' } }, { answer: 'before' }),
  supervised('cancelled', ['waits'], { outputMapping: { answer: 'result' } }, { answer: 'before' }),
  supervised(
    'relay',
    ['echo', 'second'],
    { outputMapping: { passed: 'result' }, inputMapping: { given: 'passed' } },
    {},
  ),
  supervised(
    'override',
    ['echo', 'second'],
    {
      inputMapping: { given: 'topic' },
      perWorkerInputMappings: { second: { own: 'topic' } },
      outputMapping: { passed: 'result' },
      perWorkerOutputMappings: { second: { other: 'result' } },
    },
    { topic: 'owls' },
  ),
  sub('seeded', { workflowId: 'echo', inputMapping: { result: 'topic' } }, { topic: 'owls' }),
  sub('unseeded', { workflowId: 'echo', inputMapping: { result: 'unset' } }, {}),
  line(
    'changes-later',
    [
      node('call', 'core.subWorkflow', {
        workflowId: 'waits',
        waitForCompletion: false,
        inputMapping: { result: 'topic' },
      }),
      node('change', 'vendor.baton.set', { assign: { topic: '"cats"' } }),
    ],
    { variables: declare({ topic: 'owls' }) },
  ),
];

let host: TestHost;
const { run, look, after, cancel, settle } = observing(() => host);
beforeAll(async () => {
  host = await sharedHost({ testSeams: true, workflows: WORKFLOWS });
});
afterAll(() => host.stop());

/** Registers a workflow while the host does not advertise a capability. */
async function registeredWithout(name: string, definition: object) {
  const toggle = (value: boolean | null) =>
    host.post('/v1/host/sample/test/capability-toggle', { name, value });
  expect((await toggle(false)).status).toBe(200);
  const answer = await host.post('/v1/workflows', definition);
  expect((await toggle(null)).status).toBe(200);
  return answer;
}

describe('scenarios of mappings', () => {
  it('dispatch-input-mapping: mapped, unset, and refused where it is not advertised', async () => {
    verifies('SCEN-01');
    const seen = await run('input');
    const child = (await look(`${seen.runId}.1`)).snapshot;
    expect(seen.snapshot.status).toBe('completed');
    expect(child.inputs).toEqual({ text: 'owls' });
    expect(child.variables).toEqual({ result: 'done', text: 'owls' });
    const mapped = supervised('refused', ['echo'], { inputMapping: { text: 'topic' } }, { topic: 'x' });
    const refused = await registeredWithout('agents.dispatchMapping', mapped);
    expect([refused.status, refused.body.error]).toEqual([400, 'validation_error']);
    expect(refused.body.details.requiredCapability).toBe('agents.dispatchMapping');
    const unmapped = supervised('accepted', ['echo'], { inputMapping: {} }, {});
    expect((await registeredWithout('agents.dispatchMapping', unmapped)).status).toBe(201);
    expect((await host.post('/v1/workflows', mapped)).status).toBe(201);
  });

  it('dispatch-output-mapping: brought home, but not from a child that failed or was cancelled', async () => {
    verifies('SCEN-02');
    expect((await run('output')).snapshot.variables).toEqual({ answer: 'done' });
    const failed = await run('failed');
    expect(failed.phases().at(-1)).toBe('child.failed');
    expect(failed.snapshot).toMatchObject({ status: 'completed', variables: { answer: 'before' } });
    const { runId } = await run('cancelled');
    await cancel(`${runId}.1`);
    const cancelled = await settle(runId);
    expect(cancelled.phases().at(-1)).toBe('child.cancelled');
    expect(cancelled.snapshot).toMatchObject({ status: 'completed', variables: { answer: 'before' } });
  });

  it('dispatch-cross-worker-handoff: one worker is given what another one brought, or its own mapping', async () => {
    verifies('SCEN-03');
    const inputs = async (runId: string, child: number) => (await look(`${runId}.${child}`)).snapshot.inputs;
    const relay = await run('relay');
    expect([await inputs(relay.runId, 1), await inputs(relay.runId, 2)]).toEqual([{}, { given: 'done' }]);
    expect(relay.snapshot.variables).toEqual({ passed: 'again' });
    const own = await run('override');
    expect([await inputs(own.runId, 1), await inputs(own.runId, 2)]).toEqual([
      { given: 'owls' },
      { own: 'owls' },
    ]);
    expect(own.snapshot.variables).toEqual({ topic: 'owls', passed: 'done', other: 'again' });
  });

  it('subworkflow-input-mapping: seeded once, unset, and refused where it is not advertised', async () => {
    verifies('SCEN-04');
    const variables = async (runId: string) => (await look(`${runId}.1`)).snapshot.variables;
    expect(await variables((await run('seeded')).runId)).toEqual({ result: 'owls' });
    expect(await variables((await run('unseeded')).runId)).toEqual({});
    const later = await run('changes-later');
    expect(later.snapshot.variables).toEqual({ topic: 'cats' });
    expect(await variables(later.runId)).toEqual({ result: 'owls' });
    const ended = await after(`${later.runId}.1`, 'gate', { action: 'accept' });
    expect(ended.snapshot).toMatchObject({ status: 'completed', variables: { result: 'owls' } });
    const seeded = sub('refused-seed', { workflowId: 'echo', inputMapping: { result: 'topic' } }, {});
    const refused = await registeredWithout('subWorkflow.inputMapping', seeded);
    expect([refused.status, refused.body.error]).toEqual([400, 'validation_error']);
    expect(refused.body.details.requiredCapability).toBe('subWorkflow.inputMapping');
  });
});
