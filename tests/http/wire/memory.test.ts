import { afterAll, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { ALL_SCOPES, sharedHost } from '../host.ts';
import { rewinding } from '../rewinding.ts';
import { type Bag, boss, END, line, node, to, worker } from './definitions.ts';
import { type Observed, observing } from './observing.ts';

/** Memory and replays as clients see them: what a run remembers at any index, and what a fork makes of it. */

const CANARY = 'sentence-that-no-event-may-hold';
const write = (id: string, key: string, content: string, more: Bag = {}) =>
  node(id, 'vendor.baton.memory.write', { key, content, ...more });
const read = (id: string) => node(id, 'vendor.baton.memory.read', { into: id });
const gate = (id: string) => node(id, 'core.approvalGate', { title: 'Go on?' });
const parent = (id: string, config: Bag, settings?: Bag) =>
  line(id, [
    node('call', 'core.subWorkflow', config, settings ? { settings } : {}),
    read('seen'),
    gate('gate'),
  ]);

const WORKFLOWS = [
  line('notes', [write('first', 'k', CANARY), gate('gate'), write('second', 'k', 'newer'), read('seen')]),
  line('writer', [write('note', 'child', 'from the child')]),
  line('breaks', [write('note', 'child', 'from the child'), node('break', 'core.fail')]),
  line('brief', [write('note', 'short', 'lived', { ttlSeconds: 60 })]),
  parent('inherits', { workflowId: 'writer' }),
  parent('isolates', { workflowId: 'writer', memoryScopeIsolation: 'isolated' }),
  parent('fails', { workflowId: 'breaks', onChildFailure: 'absorb' }),
  parent(
    'gated',
    { workflowId: 'writer', onChildFailure: 'absorb' },
    { outputAttestation: { requireApproval: true } },
  ),
  worker('good', { out: 'x' }),
  line('asks', [gate('gate')], { variables: [{ name: 'out', type: 'string', defaultValue: 'y' }] }),
  boss('loop', [to('good', 'asks'), to('good'), END], { outputMapping: { result: 'out' } }),
  line('effects', [
    node('first', 'core.conformance.side-effect'),
    gate('gate'),
    node('second', 'core.conformance.side-effect'),
  ]),
];
const { run, after, look, settle } = observing(() => host);
const { fork, forked, ended } = rewinding(() => host);
const host = await sharedHost({ workflows: WORKFLOWS }, [
  { token: 'stranger', tenant: 'elsewhere', scopes: ALL_SCOPES },
]);
afterAll(() => host.stop());

const stateAt = async (runId: string, at: number) =>
  (await host.get(`/v1/runs/${runId}/state?at=${at}`)).body;
const remembered = async (runId: string, at: number): Promise<readonly string[]> =>
  (await stateAt(runId, at)).memory.entries.map((entry: Bag) => `${entry.id}=${entry.content}`);
const now = (seen: Observed) => remembered(seen.runId, seen.events.length);
const finished = async (): Promise<Observed> => {
  const { runId } = await run('notes');
  return after(runId, 'gate', { action: 'accept' });
};
/** Events with every id of the run by one name, and without the times at which they were stored. */
const told = ({ events, runId }: Observed, ...others: readonly string[]): unknown =>
  JSON.parse([runId, ...others].reduce((text, id) => text.replaceAll(id, 'X'), JSON.stringify(events)));

describe('memory over HTTP', () => {
  it('MEM-18 FAIL-12 memory.written names the entry, and never its content', async () => {
    const seen = await finished();
    const written = seen.of('memory.written');
    expect(written.map(({ payload }) => payload.memoryId)).toEqual(['k', 'k']);
    for (const event of written) expect(JSON.stringify(event)).not.toContain(CANARY);
  });

  it.each([
    ['MEM-02 MEM-04 of a child comes home when it completes', 'inherits', ['child=from the child']],
    ['MEM-03 of an isolated child does not', 'isolates', []],
    ['MEM-04 of a child that failed does not', 'fails', []],
  ])('%s', async (_what, workflowId, expected) => {
    const seen = await run(workflowId);
    expect(await now(seen)).toEqual(expected);
    expect(seen.snapshot.variables.seen.map((entry: Bag) => `${entry.id}=${entry.content}`)).toEqual(
      expected,
    );
    expect(await now(await look(`${seen.runId}.1`))).toHaveLength(1);
  });

  it.each([
    ['accept', ['child=from the child']],
    ['reject', []],
  ])('of a gated child is not home while a person is asked; after %s it is %j', async (action, expected) => {
    verifies('ATTEST-15');
    const seen = await run('gated');
    expect(await now(seen)).toEqual([]);
    expect(await now(await after(seen.runId, 'call', { action }))).toEqual(expected);
  });

  it('MEM-05 an entry with a time to live says until when, counted from its own write', async () => {
    const seen = await run('brief');
    const [written] = seen.of('memory.written');
    const at = Date.parse((written as unknown as { timestamp: string }).timestamp);
    expect(Date.parse(written?.payload.expiresAt)).toBe(at + 60_000);
  });

  it('MEM-01 of another tenant is not there', async () => {
    const { runId } = await finished();
    expect((await host.get(`/v1/runs/${runId}/state`, { key: 'stranger' })).status).toBe(404);
  });

  it('a branch goes on with the memory of its index, not with that of now', async () => {
    verifies('MEM-09', 'READ-17', 'FAIL-04');
    const source = await finished();
    const cut = source.of('node.suspended')[0]!.sequence + 1;
    const { body } = await fork(source.runId, { mode: 'branch', fromSeq: cut });
    expect(await now(await settle(body.runId))).toEqual([`k=${CANARY}`]);
  });
});

describe('replays over HTTP', () => {
  const live = async (): Promise<Observed> => {
    const { runId } = await run('loop');
    const done = await after(`${runId}.2`, 'gate', { action: 'accept' }, runId);
    expect(done.snapshot.status).toBe('completed');
    return done;
  };

  it('say the same from every index, chain and times included', async () => {
    verifies('REPLAY-08', 'REPLAY-10', 'REPLAY-11', 'REPLAY-12', 'LOOP-13');
    const source = await live();
    for (let fromSeq = 0; fromSeq < source.events.length; fromSeq += 5) {
      const { runId, status } = await forked(source.runId, { mode: 'replay', fromSeq });
      const twin = await look(runId);
      expect([status, told(twin, source.runId)]).toEqual(['completed', told(source)]);
      expect(twin.snapshot.variables).toEqual(source.snapshot.variables);
      expect(await stateAt(runId, fromSeq)).toMatchObject({
        iteration: (await stateAt(source.runId, fromSeq)).iteration,
        variables: (await stateAt(source.runId, fromSeq)).variables,
      });
      const ids = new Set(twin.events.map(({ eventId }) => eventId));
      for (const { causationId } of twin.chain()) expect(ids.has(causationId ?? '')).toBe(true);
    }
  });

  it('REPLAY-09 REPLAY-14 FAIL-06 give recorded outcomes, and fail where there is none', async () => {
    const performed = async () =>
      /baton_effects_performed_total\{[^}]*side-effect[^}]*\} (\d+)/.exec(
        (await host.get('/metrics')).text,
      )?.[1];
    const waiting = await run('effects');
    const before = await performed();
    const { body } = await fork(waiting.runId, { mode: 'replay' });
    const twin = await settle(body.runId);
    expect(told(twin, waiting.runId)).toEqual(told(waiting));
    const failed = await after(body.runId, 'gate', { action: 'accept' });
    expect(failed.snapshot).toMatchObject({ status: 'failed', error: { code: 'replay_source_missing' } });
    expect(await performed()).toBe(before);
    await after(waiting.runId, 'gate', { action: 'accept' });
    expect(await performed()).not.toBe(before);
  });

  it('READ-31 a fork drives children of its own, and leaves those of its source alone', async () => {
    const source = await run('loop');
    const { body } = await fork(source.runId, { mode: 'branch', fromSeq: source.events.length });
    const before = (await look(`${source.runId}.2`)).events;
    await after(`${body.runId}.2`, 'gate', { action: 'accept' }, body.runId);
    expect((await ended(body.runId)).status).toBe('completed');
    expect((await look(`${source.runId}.2`)).events).toEqual(before);
    expect((await look(source.runId)).snapshot.status).toBe('waiting-approval');
  });
});
