import { afterAll, describe, expect, it } from 'vitest';
import { startTestHost } from './host.ts';

const SEAMS = [
  ['POST', '/v1/host/sample/test/capability-toggle'],
  ['POST', '/v1/host/sample/test/reset'],
  ['POST', '/v1/host/sample/workflows'],
  ['POST', '/v1/host/sample/test/runs/x/variables'],
  ['GET', '/v1/host/sample/test/runs/x/events'],
  ['POST', '/v1/host/sample/authorization/decide'],
  ['POST', '/v1/host/sample/governance/approval-gate'],
  ['POST', '/v1/host/sample/subrun/attest'],
  ['POST', '/v1/host/sample/agents/verify-run'],
  ['POST', '/v1/host/sample/agentloop/run'],
  ['POST', '/v1/host/sample/test/mock-ai/program'],
  ['POST', '/v1/host/sample/test/llm-cache-key'],
  ['POST', '/v1/host/sample/workspace/op'],
] as const;
const host = await startTestHost(
  {
    testSeams: true,
    builtinWorkflows: [
      { id: 'conformance-noop', nodes: [{ id: 'noop', typeId: 'core.noop' }] },
      {
        id: 'gate',
        nodes: [{ id: 'gate', typeId: 'core.approvalGate', config: { title: 'x', actions: ['accept'] } }],
      },
    ],
  },
  [
    { token: 'runner', tenant: 'default', scopes: ['runs:cancel'], roles: ['runner'] },
    { token: 'plain', tenant: 'default', scopes: ['runs:cancel'] },
    { token: 'modest', tenant: 'default', scopes: ['workflows:write'] },
  ],
);
afterAll(() => host.stop());

const toggle = (body: object) => host.post('/v1/host/sample/test/capability-toggle', body);
const discover = async () => (await host.get('/.well-known/openwop')).body;

it.each(SEAMS)('SEAM-04 needs a key: %s %s', async (method, path) => {
  expect((await host.send(method, path, method === 'POST' ? {} : undefined, { key: null })).status).toBe(401);
});

it.each(SEAMS)('SEAM-04 does not exist in production: %s %s', async (method, path) => {
  const production = await startTestHost({ testSeams: false });
  expect((await production.send(method, path, method === 'POST' ? {} : undefined)).status).toBe(404);
  await production.stop();
});

it('lists the fixtures and the mock agent', async () => {
  const document = await discover();
  expect([document.fixtures, document.conformance.mockAgent]).toEqual([['conformance-noop'], true]);
});

describe('switching capabilities', () => {
  it('can be probed', async () => {
    expect(await toggle({ name: '__probe__', value: null })).toMatchObject({
      status: 200,
      body: { overlay: {} },
    });
  });

  it.each([
    ['agents.dispatchMapping', (d: Awaited<ReturnType<typeof discover>>) => d.agents.dispatchMapping],
    ['subWorkflow.inputMapping', (d: Awaited<ReturnType<typeof discover>>) => d.subWorkflow.inputMapping],
    [
      'multiAgent.executionModel',
      (d: Awaited<ReturnType<typeof discover>>) => d.multiAgent.executionModel.supported,
    ],
  ])('SEAM-01 CAP-11 shows %s as off, and on again after a reset', async (name, look) => {
    expect((await toggle({ name, value: false })).body.overlay).toEqual({ [name]: false });
    expect(look(await discover())).toBe(false);
    expect(look((await discover()).capabilities)).toBe(false);
    expect((await toggle({ reset: true })).body.overlay).toEqual({});
    expect(look(await discover())).toBe(true);
  });

  it('is undone by the general reset as well', async () => {
    await toggle({ name: 'agents.dispatchMapping', value: false });
    expect((await host.post('/v1/host/sample/test/reset', {})).status).toBe(200);
    expect((await discover()).agents.dispatchMapping).toBe(true);
  });

  it('SEAM-01 MAP-11 refuses a workflow that uses what is off', async () => {
    await toggle({ name: 'agents.dispatchMapping', value: false });
    const answer = await host.post('/v1/host/sample/workflows', {
      workflowId: 'maps-inputs',
      nodes: [
        {
          nodeId: 'dispatch',
          typeId: 'core.dispatch',
          config: { nextWorkerIds: ['conformance-noop'], inputMapping: { a: 'b' } },
        },
      ],
    });
    await toggle({ reset: true });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'validation_error', details: { requiredCapability: 'agents.dispatchMapping' } },
    });
  });
});

it('registers a loop that nobody drew', async () => {
  const answer = await host.post('/v1/host/sample/workflows', {
    workflowId: 'loose-loop',
    nodes: [
      {
        nodeId: 'supervisor',
        typeId: 'core.orchestrator.supervisor',
        config: { script: [{ kind: 'next-worker', nextWorkerIds: ['conformance-noop'] }] },
      },
      {
        nodeId: 'dispatch',
        typeId: 'core.dispatch',
        config: { outputMapping: { parentResult: 'childResult' } },
      },
    ],
  });
  expect(answer.status).toBe(201);
  const { body } = await host.run('loose-loop');
  expect(body.status).toBe('completed');
  const { events } = (await host.get(`/v1/runs/${body.runId}/events`)).body;
  expect(events.some((event: { type: string }) => event.type === 'node.dispatched')).toBe(true);
});

it('writes variables of a run that waits', async () => {
  const { body } = await host.run('gate');
  const path = `/v1/host/sample/test/runs/${body.runId}/variables`;
  expect((await host.post(path, { variables: { colour: 'red' } })).status).toBe(200);
  expect((await host.get(`/v1/runs/${body.runId}`)).body.variables.colour).toBe('red');
  expect((await host.post('/v1/host/sample/test/runs/none/variables', { variables: {} })).status).toBe(404);
});

describe('the log seam', () => {
  const log = (runId: string, query = '') => host.get(`/v1/host/sample/test/runs/${runId}/events${query}`);

  it('filters', async () => {
    const { body } = await host.run('gate');
    const all = (await log(body.runId)).body.events;
    expect(all).toEqual((await host.get(`/v1/runs/${body.runId}/events`)).body.events);
    const requested = (await log(body.runId, '?type=interrupt.requested')).body.events;
    expect(requested).toHaveLength(1);
    const ofGate = (await log(body.runId, '?nodeId=gate')).body.events;
    expect(ofGate.length).toBeGreaterThan(0);
    expect(ofGate.every((event: { nodeId: string }) => event.nodeId === 'gate')).toBe(true);
  });

  it('is empty for a run that does not exist', async () => {
    expect(await log('__probe__')).toMatchObject({ status: 200, body: { events: [] } });
  });
});

describe('asking what somebody may do', () => {
  const decide = async (principal: string, action: string) =>
    (await host.post('/v1/host/sample/authorization/decide', { principal, action, resource: 'run-1' })).body;

  it.each([
    ['a principal that nobody has introduced', 'conformance-unseeded-principal', 'runs:cancel', false],
    ['a key that was made with a role', 'holder of runner', 'runs:cancel', true],
    ['more than the role says', 'holder of runner', 'approvals:override', false],
    ['a key that was made without a role', 'holder of plain', 'runs:cancel', false],
    ['an action that does not exist', 'operator', 'runs:fly', false],
    ['the operator', 'operator', 'runs:cancel', true],
  ])('%s', async (_what, principal, action, allowed) => {
    expect(await decide(principal, action)).toEqual({ allowed, reason: expect.any(String) });
  });
});

describe('trying to get through a gate', () => {
  const attempt = (body: object, key?: string) =>
    host.post('/v1/host/sample/governance/approval-gate', body, key === undefined ? {} : { key });
  const gates = async (status: string) =>
    (await host.get(`/v1/runs?workflowId=baton-seam-approval-gate&status=${status}`)).body.runs;

  it('does not let in somebody who is on no list', async () => {
    const { status, body } = await attempt({ scenario: 'unauthorized-grant', principal: 'eve' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ released: false, refusal: { error: 'forbidden' } });
    expect(body).not.toHaveProperty('event');
  });

  it('lets an override through, and tells what the log says of it', async () => {
    expect((await attempt({ scenario: 'override', principal: 'ana', reason: 'It burns.' })).body).toEqual({
      released: true,
      event: {
        type: 'approval.overridden',
        payload: { gateId: 'gate:1:1', principal: 'ana', reason: 'It burns.' },
      },
    });
  });

  it.each([
    ['without a reason', { reason: undefined }, undefined, 'validation_error'],
    ['with a key that may not override', { reason: 'It burns.' }, 'modest', 'forbidden'],
  ])('does not let through an override %s', async (_what, more, key, error) => {
    const { body } = await attempt({ scenario: 'override', principal: 'ana', ...more }, key);
    expect(body).toMatchObject({ released: false, refusal: { error } });
  });

  it('leaves nothing waiting', async () => {
    await attempt({ scenario: 'unauthorized-grant', principal: 'eve' });
    expect(await gates('waiting-approval')).toEqual([]);
    expect((await gates('cancelled')).length).toBeGreaterThan(0);
  });

  it.each(['/v1/host/sample/authorization/decide', '/v1/host/sample/governance/approval-gate'])(
    'shows nothing to a stranger who only looks: %s',
    async (path) => {
      expect([401, 404, 405]).toContain((await host.get(path, { key: null })).status);
    },
  );
});

describe('a host that tells no ancestry', () => {
  it('XHOST-13 has no such route, for runs that are there as for others', async () => {
    const { runId } = (await host.run('conformance-noop')).body;
    const name = 'multiAgent.executionModel.crossHostCausation.ancestryEndpointSupported';
    const status = async (id: string) => (await host.get(`/v1/runs/${id}/ancestry`)).body.error ?? 'answered';
    expect(await status(runId)).toBe('answered');
    await toggle({ name, value: false });
    const { crossHostCausation } = (await discover()).multiAgent.executionModel;
    expect(crossHostCausation).toMatchObject({ supported: true, ancestryEndpointSupported: false });
    expect([await status(runId), await status('synthetic-test-run-id')]).toEqual(['not_found', 'not_found']);
    await toggle({ reset: true });
    expect(await status(runId)).toBe('answered');
  });
});
