import { CONFORMANCE, setVariables, switchCapability } from '@baton/conformance/engine';
import { PRODUCT_NODES } from '@baton/engine';
import type { Json, RunEvent } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { CALLER, settled, startTestEngine } from '../driver/test-engine.ts';
import { startTestHost, type TestHost } from '../http/host.ts';

const noop = { id: 'conformance-noop', nodes: [{ id: 'noop', typeId: 'core.noop' }] };
/** A host without the conformance seams behaves as if what they need had never been written. */
const product = await startTestHost({ builtinWorkflows: [noop] }, [], { extension: undefined });
const open = await startTestHost({ builtinWorkflows: [noop], testSeams: true });
afterAll(async () => {
  await product.stop();
  await open.stop();
});

const FIXTURE_TYPES = CONFORMANCE.nodes.ids.filter((id) => PRODUCT_NODES.of(id) === undefined);

/** What a run recorded, without the names and times that differ from run to run. */
async function recorded(host: TestHost, nodes: readonly unknown[], more: object = {}) {
  const id = `recorded-${nodes.length}`;
  expect((await host.post('/v1/workflows', { id, nodes, ...more })).status).toBeLessThan(300);
  const { body } = await host.run(id, { inputs: { a: 1 } });
  const polled = await host.get(`/v1/runs/${body.runId}/events/poll?timeout=0`);
  const events: readonly RunEvent[] = polled.body.events;
  const own = ({ type, nodeId, payload }: RunEvent): Json =>
    JSON.parse(JSON.stringify({ type, nodeId, payload }).replaceAll(body.runId, 'RUN'));
  return { status: body.status, events: events.filter((event) => event.nodeId !== undefined).map(own) };
}

const types = ({ events }: { readonly events: readonly Json[] }) =>
  events.map((event) => (event as { readonly type: string }).type);

describe('without the conformance seams', () => {
  it('there are node types for conformance suites to miss', () => {
    expect(FIXTURE_TYPES).toEqual([
      'conformance.requiresMissing',
      'core.conformance.hold',
      'core.conformance.mock-agent',
      'core.conformance.side-effect',
    ]);
  });

  it.each(FIXTURE_TYPES)('%s is as unknown as a type that nobody wrote', async (typeId) => {
    const register = (type: string) =>
      product.post('/v1/workflows', { id: 'fixture', nodes: [{ id: 'n', typeId: type }] });
    const refused = await register(typeId);
    const unknown = await register('nobody.wrote.this');
    expect(refused.status).toBe(400);
    expect(refused.text.replaceAll(typeId, 'X')).toBe(unknown.text.replaceAll('nobody.wrote.this', 'X'));
    expect(refused.body.details.known).toEqual(PRODUCT_NODES.ids);
  });

  it.each<[string, Readonly<Record<string, Json>>]>([
    ['a memory probe', { memoryAction: 'write-then-read' }],
    ['a probe of a lifetime', { memoryAction: 'ttl-probe' }],
    ['a probe of a secret', { memoryAction: 'redaction-probe', byokSecretId: 'none' }],
    ['a message that is sent twice', { emitDuplicateMessageId: true }],
  ])('`core.identity` takes %s for a setting of somebody else', async (_name, config) => {
    const inputs = { a: { type: 'static', value: 1 } };
    const plain = await recorded(product, [{ id: 'n', typeId: 'core.identity', inputs }]);
    expect(await recorded(product, [{ id: 'n', typeId: 'core.identity', inputs, config }])).toEqual(plain);
    const fixture = await recorded(open, [{ id: 'n', typeId: 'core.identity', inputs, config }]);
    expect(fixture).not.toEqual(plain);
  });

  it('a supervisor without a plan ends the loop and hands work to nobody', async () => {
    const nodes = [
      { id: 'supervisor', typeId: 'core.orchestrator.supervisor' },
      { id: 'dispatch', typeId: 'core.dispatch' },
    ];
    const edges = [
      { sourceNodeId: 'supervisor', targetNodeId: 'dispatch' },
      { sourceNodeId: 'dispatch', targetNodeId: 'supervisor' },
    ];
    const alone = await recorded(product, nodes, { edges });
    expect(alone.status).toBe('completed');
    expect(JSON.stringify(alone)).not.toContain('conformance');
    expect(types(alone).filter((type) => type === 'runOrchestrator.decided')).toHaveLength(1);
    expect(JSON.stringify(await recorded(open, nodes, { edges }))).toContain('conformance-noop');
  });

  it('`core.fail` has a code of the product where the author names none', async () => {
    const errors = async (host: TestHost, config: object) => {
      const { events } = await recorded(host, [{ id: 'n', typeId: 'core.fail', config }]);
      return events.flatMap(
        (event) => (event as Json & { payload: { error?: { code: string } } }).payload.error ?? [],
      );
    };
    expect(await errors(product, {})).toMatchObject([{ code: 'node_failed' }]);
    expect(await errors(open, {})).toMatchObject([{ code: 'conformance_test_failure' }]);
    const mine = { code: 'mine', message: 'This is mine.' };
    expect(await errors(product, mine)).toEqual([mine]);
    expect(await errors(open, mine)).toEqual([mine]);
  });

  it('discovery and the API description say nothing of conformance', async () => {
    expect((await product.get('/.well-known/openwop')).text).not.toMatch(/conformance|mockAgent|fixtures/);
    expect((await product.get('/v1/openapi.json')).text).not.toMatch(/host\/sample/);
    expect((await open.get('/.well-known/openwop')).body).toMatchObject({
      fixtures: ['conformance-noop'],
      conformance: { mockAgent: true },
    });
  });

  it('the engine refuses the commands of the seams', async () => {
    const top = await startTestEngine({ product: true });
    const toggle = switchCapability('agents.dispatchMapping', false);
    const variables = setVariables(CALLER, 'r', {});
    for (const command of [toggle, variables]) {
      expect(await top.execute(command)).toMatchObject({ ok: false, error: { error: 'not_found' } });
    }
  });

  it('a run of a stored definition fails at a node type that is not there any more, and harms nothing else', async () => {
    const before = await startTestEngine();
    const definition = {
      id: 'acts',
      nodes: [
        { id: 'first', typeId: 'core.noop' },
        { id: 'act', typeId: 'core.conformance.side-effect' },
      ],
      edges: [{ sourceNodeId: 'first', targetNodeId: 'act' }],
    };
    await before.execute({ kind: 'register-workflow', caller: CALLER, definition, shared: false });
    await before.crash();
    const after = await startTestEngine({ product: true, folder: before.folder });
    const reply = await after.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'acts' } });
    await settled();
    const runId = reply.ok && reply.value.kind === 'run' ? reply.value.runId : '';
    expect(await after.status(runId)).toBe('failed');
    expect(after.logged).toEqual([]);
  });
});
