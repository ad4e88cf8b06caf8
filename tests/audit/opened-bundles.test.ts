import { auditOneRun, auditRun, foldStored, newSigningKey, signingKey, stateAt } from '@baton/engine';
import type { DebugBundle } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import {
  boss,
  hand,
  inOrder,
  node,
  TERMINATE,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { bundleOf, checked, openedIn } from '../bundles.ts';
import { answer, fork, quiet, replay, start } from '../driver/forking.ts';
import { type Bench, CALLER, handClock, startTestEngine } from '../driver/test-engine.ts';
import { HELPER, richTree } from '../rich-tree.ts';

/** A bundle is refused as what it is, or its runs are there as on their own host, and stand still. */

// biome-ignore lint/suspicious/noExplicitAny: bundles are taken apart here
type Draft = { -readonly [K in keyof DebugBundle]: any };

async function richBundle(): Promise<{ host: Bench; runId: string; bundle: DebugBundle }> {
  const host = await startTestEngine();
  const runId = await richTree(host);
  return { host, runId, bundle: await bundleOf(host, runId) };
}

async function changed(change: (bundle: Draft) => void): Promise<Draft> {
  const copy: Draft = structuredClone((await richBundle()).bundle);
  change(copy);
  return copy;
}

/** Without the links: whoever forges a log leaves out what would give it away. */
function forged(change: (bundle: Draft) => void): Promise<Draft> {
  return changed((bundle) => {
    for (const run of bundle.baton.runs) delete run.chain;
    change(bundle);
  });
}

const mainOf = (bundle: Draft) =>
  bundle.baton.runs.find((run: { runId: string }) => run.runId === bundle.run.runId);
const childOf = (bundle: Draft) =>
  bundle.baton.runs.find((run: { runId: string }) => run.runId !== bundle.run.runId);

describe('a bundle is refused when it', () => {
  it.each<[string, string, (bundle: Draft) => void]>([
    ['is nothing', 'events', (bundle) => delete bundle.events],
    ['is of another form', 'format', (bundle) => (bundle.baton.format = 2)],
    ['names a run in a way that no host does', 'runId', (bundle) => (bundle.run.runId = '../x')],
    ['is not a Baton’s', 'not written by a Baton host', (bundle) => delete bundle.baton],
    ['was cut off', 'was cut off', (bundle) => (bundle.truncated = true)],
    ['lacks the run that it names', 'does not contain the run', (bundle) => bundle.baton.runs.shift()],
    ['lacks an event', 'a place for each event', (bundle) => bundle.events.splice(2, 1)],
    ['lacks the last event', 'a place for each event', (bundle) => bundle.events.pop()],
    [
      'has a changed event',
      'do not match its hash chain',
      (bundle) => (bundle.events[0].timestamp = '2026-01-01T00:00:00.000Z'),
    ],
    [
      'has a changed child',
      'do not match its hash chain',
      (bundle) => (childOf(bundle).events[0].payload.inputs = { x: 1 }),
    ],
    ['has events in another order', 'at the place of', (bundle) => bundle.events.reverse()],
    ['has a forged link', 'hash chain', (bundle) => (mainOf(bundle).chain = '0'.repeat(64))],
    ['claims another end', 'claimed status', (bundle) => (mainOf(bundle).status = 'failed')],
    ['claims not to have ended', 'claimed status', (bundle) => (mainOf(bundle).status = 'running')],
    ['lacks a definition', 'lacks the definition', (bundle) => (bundle.baton.definitions = {})],
    [
      'has another definition',
      'or has a different one',
      (bundle) => {
        for (const definition of Object.values<{ name?: string }>(bundle.baton.definitions))
          definition.name = 'x';
      },
    ],
    [
      'has its own idea of its tree',
      'is the parent of',
      (bundle) => (childOf(bundle).parentRunId = childOf(bundle).runId),
    ],
    [
      'has an impossible order',
      'impossible order',
      (bundle) => (mainOf(bundle).places[1] = mainOf(bundle).places[0]),
    ],
    ['has memory twice', 'occurs twice', ({ baton }) => baton.memory.push(baton.memory[0])],
    ['has memory of no kind', 'unknown kind', ({ baton }) => (baton.memory[0].scope = 'other:x')],
  ])('%s', async (_what, why, change) => {
    expect(checked(await changed(change))).toContain(why);
  });

  it.each<[string, (bundle: Draft) => void]>([
    ['an event of no schema', (bundle) => (bundle.events[1].payload = { nonsense: true })],
    ['a leap second', ({ events }) => (events[3].timestamp = '2016-12-31T23:59:60Z')],
    ['a version of a workflow', (bundle) => (mainOf(bundle).workflowVersion = 1e300)],
    ['a version of memory', (bundle) => (bundle.baton.memory[0].version = 1e300)],
    ['a version of an entry', (bundle) => (bundle.baton.memory[0].entries[0].version = 1e300)],
    ['the end of an entry', (bundle) => (bundle.baton.memory[0].entries[0].ended = 1e300)],
    ['a revision', (bundle) => (bundle.baton.memory[0].entries[0].revision = 1e300)],
    ['a time', (bundle) => (mainOf(bundle).createdAt = 1e300)],
    ['a place', (bundle) => (mainOf(bundle).places[0] = 1e300)],
    ['an index', (bundle) => (mainOf(bundle).fork = { sourceRunId: bundle.run.runId, fromSeq: 1e300 })],
    ['the version in an event', (bundle) => (bundle.events[0].payload.workflowVersion = 1e300)],
    [
      'a version in an event of memory',
      (bundle) => {
        const written = bundle.events.find((event: { type: string }) => event.type === 'memory.written');
        written.payload.version = 1e300;
      },
    ],
    ['a limit', (bundle) => (bundle.events[0].payload.limits.durationMs = 1e300)],
    ['a version that is too small for its entries', (bundle) => (bundle.baton.memory[0].version = 0)],
  ])('has %s that no host can keep', async (_what, change) => {
    expect(checked(await forged(change))).toEqual(expect.any(String));
  });

  it.each(['../../etc/passwd', '/etc/passwd', 'a/../b', ''])('brings a file at %s', async (path) => {
    const bundle = await forged(({ baton }) => {
      const [entry] = baton.memory[0].entries;
      baton.memory.push({
        scope: 'workspace:default',
        version: 1,
        entries: [{ ...entry, version: 1, id: path }],
      });
    });
    expect(checked(bundle)).toMatch(/invalid path|id/);
  });

  it('is of a child alone, and says whose to take', async () => {
    const { host, runId } = await richBundle();
    expect(checked(await bundleOf(host, `${runId}.1`))).toContain(`export the bundle of ${runId} instead`);
  });
});

describe('a bundle with forged numbers as large as can be', () => {
  it.each<[string, (bundle: Draft) => void]>([
    ['a wait', (bundle) => (bundle.events[1].payload.waitMs = 8.64e15)],
    ['a time-out', (bundle) => (bundle.events[1].payload.timeoutMs = 8.64e15)],
    [
      'the last year',
      (bundle) => {
        for (const event of bundle.events) event.timestamp = '9999-12-31T23:59:59.999Z';
      },
    ],
    [
      'the first year',
      (bundle) => {
        for (const event of bundle.events) event.timestamp = '0000-01-01T00:00:00.000Z';
      },
    ],
  ])('can be read at every index: %s', async (_what, change) => {
    const bundle = await forged(change);
    const { runId } = bundle.run;
    const other = await openedIn(bundle);
    const head = (await other.events(runId)).length;
    for (let at = 0; at <= head; at += 1) {
      expect(await stateAt(other.reads, { tenant: CALLER.tenant, runId }, at)).toMatchObject({ at });
    }
    await replay(other, runId);
    expect(other.fatal).toEqual([]);
  });
});

describe('the runs of an opened bundle', () => {
  it('have their ids, their logs and their memory', async () => {
    const { host, runId, bundle } = await richBundle();
    const other = await openedIn(bundle);
    for (const id of [runId, `${runId}.1`]) {
      const told = ({ reads }: Bench) => reads.events(CALLER.tenant, id, 0, 1000);
      expect(await told(other)).toEqual(await told(host));
      const state = async ({ reads }: Bench) => foldStored((await reads.stored(CALLER.tenant, id))!);
      expect(await state(other)).toEqual(await state(host));
      const row = async ({ reads }: Bench) => ({ ...(await reads.run(CALLER.tenant, id)), updatedAt: 0 });
      expect(await row(other)).toEqual(await row(host));
      expect((await auditOneRun(other.reads, undefined, id))?.findings).toEqual([]);
    }
    for (const scope of ['scope:desk', `run:${runId}.1`]) {
      const history = ({ reads }: Bench) => reads.scopeHistory(CALLER.tenant, scope, 99);
      expect(await history(other)).toEqual(await history(host));
    }
    const past = ({ reads }: Bench) => stateAt(reads, { tenant: CALLER.tenant, runId }, bundle.events.length);
    expect(await past(other)).toEqual(await past(host));
  });

  it('are replayed without a difference, and branched with the definitions and agents of the bundle', async () => {
    const { runId, bundle } = await richBundle();
    const other = await openedIn(bundle);
    const again = await replay(other, runId);
    expect(await other.status(again)).toBe('completed');
    expect(await other.types(again)).not.toContain('replay.diverged');
    expect(other.performed).toEqual([]);
    const asked = (await other.types(runId)).indexOf('approval.received');
    const branch = await fork(other, runId, { mode: 'branch', fromSeq: asked });
    expect(await other.status(branch)).toBe('waiting-approval');
    await answer(other, branch, 'gate');
    expect(await other.status(branch)).toBe('completed');
    expect(other.performed).toHaveLength(1);
    expect(await start(other, 'rich')).not.toBe(runId);
  });

  it('still have the checksums of what was handed over, also where that names a run', async () => {
    const nodes = [
      node('call', 'core.subWorkflow', { workflowId: 'helper' }),
      node('tell', 'vendor.baton.set', { assign: { text: 'nodes.call.outputs.childRunId' } }),
    ];
    const writer = workflow('writer', nodes, { edges: inOrder(nodes) });
    const plan = [hand('writer'), TERMINATE];
    const above = boss(plan, { outputMapping: { report: 'text' } }) as { nodes: Record<string, unknown>[] };
    const attested = { ...above.nodes[1], settings: { outputAttestation: { checksum: true } } };
    const host = await startTestEngine();
    await host.register(HELPER, writer, { ...above, nodes: [above.nodes[0], attested] });
    const runId = await start(host, 'boss');
    const other = await openedIn(await bundleOf(host, runId));
    const audit = (id: string) => auditRun(other.reads, { tenant: CALLER.tenant, runId: id });
    const matching = { allMatch: true, attestations: [{ merged: true, matches: true }] };
    expect(await audit(runId)).toMatchObject(matching);
    expect(await audit(await replay(other, runId))).toMatchObject(matching);
  });

  it('do not go on by themselves, even if they had not ended', async () => {
    const effect = node('effect', 'core.conformance.side-effect', {}, { settings: { retries: 3 } });
    const delay = node('wait', 'core.delay', { delayMs: 1000 });
    const gate = node('gate', 'core.approvalGate', { title: 'Go on?', timeoutMs: 1000 });
    const host = await startTestEngine({ perform: () => new Promise(() => undefined) });
    await host.register(workflow('under-way', [effect, delay, gate]));
    const runId = await start(host, 'under-way');
    const bundle = await bundleOf(host, runId);
    expect(checked(bundle)).toMatchObject({ runId, status: await host.status(runId), verified: true });

    const { clock, move, alarms } = handClock();
    const other = await openedIn(bundle, { clock });
    const before = await other.events(runId);
    const idle = alarms();
    await move(365 * 86_400_000);
    expect(other.performed).toEqual([]);
    expect(await other.events(runId)).toEqual(before);
    expect(alarms()).toBe(idle);
    expect(await other.status(runId)).toBe('cancelled');
    const asking = { kind: 'resume-run', caller: CALLER, runId } as const;
    expect(await other.execute(asking)).toMatchObject({ ok: false });
    expect(await other.events(runId)).toEqual(before);
    // It can be seen as it was, and a branch of it goes on.
    const then = await stateAt(other.reads, { tenant: CALLER.tenant, runId }, before.length);
    expect(then?.nodeStates).toMatchObject({ gate: { status: 'running' }, effect: { status: 'running' } });
    const branch = await fork(other, runId, { mode: 'branch', fromSeq: before.length });
    await answer(other, branch, 'gate');
    await move(2000);
    await quiet();
    expect(await other.status(branch)).toBe('completed');
    expect(other.performed).toHaveLength(1);
  });
});

describe('a trusted key', () => {
  const KEY = signingKey(newSigningKey(), 'a test');
  const OTHER = signingKey(newSigningKey(), 'another test');

  async function signed(): Promise<Draft> {
    const host = await startTestEngine();
    return bundleOf(host, await richTree(host), { key: KEY });
  }

  it('is that of the host that wrote the bundle', async () => {
    const bundle = await signed();
    expect(checked(bundle, { trusted: [OTHER, KEY] })).toMatchObject({ signedBy: KEY.keyId });
    expect(checked(bundle, { trusted: [OTHER] })).toContain(`is not signed with ${OTHER.keyId}`);
    expect(checked(bundle)).not.toHaveProperty('signedBy');
  });

  it.each<[string, (bundle: Draft) => void]>([
    ['the memory was changed', (bundle) => (bundle.baton.memory[0].entries[0].content = 'low water')],
    ['a record was changed', (bundle) => (mainOf(bundle).principal = 'somebody')],
    [
      'a log was changed',
      (bundle) => {
        for (const run of bundle.baton.runs) delete run.chain;
        bundle.events[1].timestamp = '2026-01-01T00:00:00.000Z';
      },
    ],
    [
      'a log was changed where it says that something was masked',
      (bundle) => {
        const { places } = mainOf(bundle);
        mainOf(bundle).masked = [{ sequence: places.length - 1, link: mainOf(bundle).chain }];
        bundle.events.at(-1).timestamp = '2030-01-01T00:00:00.000Z';
      },
    ],
    [
      'it has no chains',
      (bundle) => {
        for (const run of bundle.baton.runs) delete run.chain;
      },
    ],
    ['it has no proof', (bundle) => delete bundle.batonProof],
  ])('is that of nobody when %s', async (_what, change) => {
    const bundle = await signed();
    change(bundle);
    expect(checked(bundle, { trusted: [KEY] })).toContain('or was changed since');
    expect(checked(bundle)).toMatchObject({ runs: 2 });
  });
});
