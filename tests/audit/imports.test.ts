import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditOneRun, auditRun, newSigningKey, openVault, signingKey, stateAt } from '@baton/engine';
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
import { fork, quiet, replay, start } from '../driver/forking.ts';
import { type Bench, CALLER, startTestEngine } from '../driver/test-engine.ts';
import { bundleOf, type Importing, importInto } from '../importing.ts';
import { HELPER, RICH, richTree } from '../rich-tree.ts';

/** What comes in from elsewhere is history under a name of its own, and reaches nothing else. */

// biome-ignore lint/suspicious/noExplicitAny: bundles are taken apart here
type Draft = { -readonly [K in keyof DebugBundle]: any };

async function richBundle(): Promise<{ host: Bench; runId: string; bundle: DebugBundle }> {
  const host = await startTestEngine();
  const runId = await richTree(host);
  return { host, runId, bundle: await bundleOf(host, runId) };
}

/** Without the links: whoever forges a log leaves out what would give it away. */
async function forged(change: (bundle: Draft) => void): Promise<DebugBundle> {
  const { bundle } = await richBundle();
  const copy: Draft = structuredClone(bundle);
  for (const run of copy.baton.runs) delete run.chain;
  change(copy);
  return copy;
}

async function taken(host: Bench, bundle: unknown, importing: Importing = {}): Promise<string> {
  const reply = await importInto(host, bundle, importing);
  if (!reply.ok) throw new Error(JSON.stringify(reply));
  return reply.value.runId;
}

const branch = (host: Bench, runId: string, fromSeq: number, scopes?: readonly string[]) =>
  host.execute({
    kind: 'fork-run',
    caller: CALLER,
    runId,
    body: { mode: 'branch', fromSeq },
    ...(scopes && { scopes }),
  });

const mainOf = (bundle: Draft) =>
  bundle.baton.runs.find((run: { runId: string }) => run.runId === bundle.run.runId);

describe('numbers in a bundle', () => {
  it.each<[string, (bundle: Draft) => void]>([
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
  ])('are refused where no column holds them: %s', async (_what, change) => {
    const other = await startTestEngine();
    const reply = await importInto(other, await forged(change));
    if (reply.ok) throw new Error('it was taken in');
    expect(['validation_error', 'bundle_invalid']).toContain(reply.error.error);
    // By the one who reads it, and not only by the store.
    expect(reply.error.message).not.toContain('in their order');
    expect(other.fatal).toEqual([]);
  });

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
  ])('that are as large as can be leave a run that can be read at every index: %s', async (_what, change) => {
    const other = await startTestEngine();
    const runId = await taken(other, await forged(change));
    const head = (await other.events(runId)).length;
    for (let at = 0; at <= head; at += 1) {
      expect(await stateAt(other.reads, { tenant: CALLER.tenant, runId }, at)).toMatchObject({ at });
    }
    await replay(other, runId);
    expect(other.fatal).toEqual([]);
  });

  it('are times: a leap second is none', async () => {
    const bundle = await forged(({ events }) => (events[3].timestamp = '2016-12-31T23:59:60Z'));
    expect(await importInto(await startTestEngine(), bundle)).toMatchObject({
      ok: false,
      error: { error: 'validation_error', details: { field: 'timestamp' } },
    });
  });

  it('that limit a run are never more than this host allows', async () => {
    const bundle = await forged(({ events }) => (events[0].payload.limits.nodeExecutions = 2 ** 53 - 1));
    const other = await startTestEngine();
    const runId = await taken(other, bundle);
    expect((await other.events(runId))[0]).toMatchObject({
      payload: { limits: { nodeExecutions: 1_000_000 } },
    });
  });
});

describe('an imported run', () => {
  it('has a name of its own, wherever it was named, and reaches no run of that name', async () => {
    const { host, runId, bundle } = await richBundle();
    const there = await taken(host, bundle);
    const texts = (await host.reads.events(CALLER.tenant, there, 0, 1000)).join('');
    expect(texts).not.toContain(runId);
    expect(await host.reads.run(CALLER.tenant, `${there}.1`)).toMatchObject({
      imported: { from: `${runId}.1` },
    });
    expect(await host.reads.run(CALLER.tenant, there)).toMatchObject({
      imported: { from: runId, by: CALLER.principal, at: Date.UTC(2026, 6, 1) },
    });
  });

  it('does not speak of runs that are somebody else’s: those get other names too', async () => {
    const { host, runId: victim } = await richBundle();
    const bundle = await forged(({ events }) => {
      const dispatched = events.find((event: { type: string }) => event.type === 'node.dispatched');
      dispatched.payload.childRunId = `${victim}.1`;
    });
    const there = await taken(host, bundle, { caller: { tenant: 'other', principal: 'eve' } });
    const texts = (await host.reads.events('other', there, 0, 1000)).join('');
    expect(texts).not.toContain(victim);
  });

  it('is replayed to the end without a difference', async () => {
    const { bundle } = await richBundle();
    const other = await startTestEngine();
    const there = await taken(other, bundle);
    const again = await replay(other, there);
    expect(await other.status(again)).toBe('completed');
    expect(await other.types(again)).not.toContain('replay.diverged');
    expect(other.performed).toEqual([]);
  });

  it('still has the checksums of what was handed over, also where that names a run', async () => {
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
    const other = await startTestEngine();
    const there = await taken(other, await bundleOf(host, runId));
    const audit = await auditRun(other.reads, { tenant: CALLER.tenant, runId: there });
    expect(audit).toMatchObject({ allMatch: true, attestations: [{ merged: true, matches: true }] });
    expect(JSON.stringify(await other.events(there))).toContain(`"next":"${there}.1.1"`);
  });

  it('keeps its memory and files to itself', async () => {
    const { bundle } = await richBundle();
    const other = await startTestEngine();
    const there = await taken(other, bundle);
    const scopes = ['scope:desk', 'workspace:default'];
    for (const scope of scopes) expect(await other.reads.scope(CALLER.tenant, scope)).toBeUndefined();
    const own = `scope:imported:${there}:desk`;
    expect(await other.reads.scope(CALLER.tenant, own)).toMatchObject({ version: 2 });
    // It sees all of it itself.
    const seen = await stateAt(
      other.reads,
      { tenant: CALLER.tenant, runId: there },
      (await other.events(there)).length,
    );
    expect(seen?.memory.entries.map(({ id }) => id).sort()).toEqual(['note', 'own']);
    // And nobody can ask for it by its name.
    await other.register(RICH, HELPER);
    const body = { workflowId: 'rich', scopeId: own.slice('scope:'.length) };
    expect(await other.execute({ kind: 'create-run', caller: CALLER, body })).toMatchObject({
      ok: false,
      error: { error: 'validation_error', details: { field: 'scopeId' } },
    });
  });

  it.each(['../../etc/passwd', '/etc/passwd', 'a/../b', ''])('brings no file at %s', async (path) => {
    const bundle = await forged(({ baton }) => {
      const [entry] = baton.memory[0].entries;
      baton.memory.push({
        scope: 'workspace:default',
        version: 1,
        entries: [{ ...entry, version: 1, id: path }],
      });
    });
    const other = await startTestEngine();
    expect(await importInto(other, bundle)).toMatchObject({ ok: false });
    expect((await other.reads.runs({ tenant: CALLER.tenant, limit: 1 })).items).toEqual([]);
  });

  it('does not make its definitions runnable', async () => {
    const { bundle } = await richBundle();
    const other = await startTestEngine();
    const there = await taken(other, bundle);
    expect(
      await other.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'rich' } }),
    ).toMatchObject({ ok: false, error: { error: 'not_found' } });
    const runner = ['runs:create', 'runs:read', 'approvals:override'];
    expect(await branch(other, there, 0, runner)).toMatchObject({
      ok: false,
      error: { error: 'forbidden', details: { scope: 'workflows:write' } },
    });
    // A replay performs nothing, and a branch of the replay is no way round.
    const again = await replay(other, there);
    expect(await branch(other, again, 1, runner)).toMatchObject({ ok: false, error: { error: 'forbidden' } });
    expect(await branch(other, there, 0, [...runner, 'workflows:write'])).toMatchObject({ ok: true });
    await other.register(RICH, HELPER);
    expect(await branch(other, there, 0, runner)).toMatchObject({ ok: true });
    await quiet();
  });

  it('brings no approval into a branch, nor into a branch of its replay', async () => {
    const { bundle } = await richBundle();
    const other = await startTestEngine();
    await other.register(RICH, HELPER);
    const there = await taken(other, bundle);
    const approved = (await other.types(there)).indexOf('approval.received');
    const behind = (await other.types(there)).indexOf('node.completed', approved) + 1;
    const runner = ['runs:create', 'workflows:write'];
    const again = await replay(other, there);
    for (const source of [there, again]) {
      expect(await branch(other, source, behind, runner)).toMatchObject({
        ok: false,
        error: { error: 'forbidden', details: { scope: 'approvals:override' } },
      });
      const before = await branch(other, source, approved, runner);
      expect(before).toMatchObject({ ok: true, value: { status: 'waiting-approval' } });
    }
    expect(other.performed).toEqual([]);
    const overridden = await branch(other, there, behind, [...runner, 'approvals:override']);
    expect(overridden).toMatchObject({ ok: true });
    await quiet();
    if (!overridden.ok || overridden.value.kind !== 'fork') return;
    // What was carried over once is not laundered by that.
    expect(await branch(other, overridden.value.runId, behind + 1, runner)).toMatchObject({ ok: false });
  });

  it('that a child had approved counts in the whole tree', async () => {
    const asking = workflow('asking', [node('gate', 'core.approvalGate', { title: 'Go on?' })]);
    const nodes = [node('child', 'core.subWorkflow', { workflowId: 'asking' }), node('after', 'core.noop')];
    const host = await startTestEngine();
    await host.register(asking, workflow('above', nodes, { edges: inOrder(nodes) }));
    const runId = await start(host, 'above');
    await host.execute({
      kind: 'resolve-interrupt',
      caller: CALLER,
      runId: `${runId}.1`,
      target: { nodeId: 'gate' },
      resumeValue: { action: 'accept' },
      viaToken: false,
      scopes: ['approvals:respond'],
    });
    await quiet();
    expect(await host.status(runId)).toBe('completed');
    const there = await taken(host, await bundleOf(host, runId));
    const head = (await host.events(there)).length;
    expect(await branch(host, there, head - 2, ['runs:create'])).toMatchObject({
      ok: false,
      error: { details: { scope: 'approvals:override' } },
    });
    expect(await branch(host, there, 2, ['runs:create'])).toMatchObject({ ok: true });
  });

  it('holds no secret of the tenant that takes it in', async () => {
    const secret = 'the value of "a" secret';
    const vault = openVault(new Map([[CALLER.tenant, new Map([['tide', secret]])]]));
    const redactor = vault.redactor(CALLER.tenant);
    const bundle = await forged((copy) => {
      copy.events[0].payload.inputs.note = `see ${secret}`;
      copy.baton.memory[0].entries[0].content = secret;
      mainOf(copy).tags = [secret];
    });
    const other = await startTestEngine({ vault });
    const there = await taken(other, bundle, { ...(redactor && { redactor }) });
    expect((await other.events(there))[0]).toMatchObject({
      payload: { inputs: { note: 'see [REDACTED:tide]' } },
    });
    expect((await other.reads.run(CALLER.tenant, there))?.tags).toEqual(['[REDACTED:tide]']);
    const scope = `scope:imported:${there}:desk`;
    expect((await other.reads.scopeHistory(CALLER.tenant, scope, 9))?.entries[0]?.content).toBe(
      '[REDACTED:tide]',
    );
    const stored = readdirSync(other.folder).map((name) => readFileSync(join(other.folder, name), 'latin1'));
    expect(stored.join('')).not.toContain('the value of');
    expect(other.fatal).toEqual([]);
  });

  it('has no definition that holds a secret', async () => {
    // The node of the definition writes the note.
    const vault = openVault(new Map([[CALLER.tenant, new Map([['tide', 'high water at noon']])]]));
    const redactor = vault.redactor(CALLER.tenant);
    const { bundle } = await richBundle();
    expect(
      await importInto(await startTestEngine(), bundle, { ...(redactor && { redactor }) }),
    ).toMatchObject({
      ok: false,
      error: { error: 'bundle_invalid' },
    });
  });
});

describe('who vouches for an import', () => {
  const KEY = signingKey(newSigningKey(), 'a test');

  async function signed(): Promise<DebugBundle> {
    const host = await startTestEngine();
    return bundleOf(host, await richTree(host), { key: KEY });
  }

  it('is the host that wrote it, when its key is known', async () => {
    const bundle = await signed();
    const other = await startTestEngine();
    const known = await importInto(other, bundle, { knownKeys: [KEY] });
    expect(known).toMatchObject({ ok: true, value: { verified: true, vouchedBy: KEY.keyId } });
    if (known.ok) {
      const page = await auditOneRun(other.reads, undefined, known.value.runId, CALLER.tenant);
      expect(page).toMatchObject({
        findings: [],
        imported: { vouchedBy: KEY.keyId },
        checked: { imported: 1, unvouched: 0 },
      });
    }
    const unknown = await importInto(other, bundle);
    expect(unknown).toMatchObject({ ok: true, value: { verified: true } });
    expect(unknown.ok && unknown.value.vouchedBy).toBeUndefined();
  });

  it.each<[string, (bundle: Draft) => void]>([
    ['its memory was changed', (bundle) => (bundle.baton.memory[0].entries[0].content = 'low water')],
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
  ])('is nobody when %s', async (_what, change) => {
    const bundle: Draft = structuredClone(await signed());
    change(bundle);
    const reply = await importInto(await startTestEngine(), bundle, { knownKeys: [KEY] });
    expect(reply).toMatchObject({ ok: true });
    expect(reply.ok && reply.value.vouchedBy).toBeUndefined();
  });

  it('is not a host that only took it in itself', async () => {
    const { bundle } = await richBundle();
    const between = await startTestEngine();
    const there = await taken(between, bundle);
    const passedOn = await bundleOf(between, there, { key: KEY });
    expect(passedOn.batonProof).toBeUndefined();
    const forkThere = await fork(between, there, { mode: 'replay' });
    expect(await between.status(forkThere)).toBe('completed');
    const reply = await importInto(await startTestEngine(), passedOn, { knownKeys: [KEY] });
    expect(reply).toMatchObject({ ok: true, value: { verified: true } });
    expect(reply.ok && reply.value.vouchedBy).toBeUndefined();
  });
});

describe('an import that is interrupted', () => {
  it('was never seen, and is gone after the next start', async () => {
    const { bundle } = await richBundle();
    const copy: Draft = structuredClone(bundle);
    // Enough memory for several parts.
    const [entry] = copy.baton.memory[0].entries;
    copy.baton.memory[0].version = 2000;
    for (let version = 3; version <= 2000; version += 1) {
      copy.baton.memory[0].entries.push({ ...entry, version, id: `k${version}`, content: 'x'.repeat(400) });
    }
    const key = signingKey(newSigningKey(), 'a test');
    const other = await startTestEngine({ auditKey: key });
    expect(await importInto(other, copy, { parts: 3 })).toMatchObject({ ok: true });
    expect((await other.reads.runs({ tenant: CALLER.tenant, limit: 10 })).items).toEqual([]);
    expect(await other.store.arriving()).toHaveLength(1);
    const again = await other.crash({ auditKey: key });
    for (let turn = 0; turn < 50 && (await again.store.arriving()).length > 0; turn += 1) await quiet();
    expect(await again.store.arriving()).toEqual([]);
    expect((await again.reads.runs({ tenant: CALLER.tenant, limit: 10 })).items).toEqual([]);
    // And the whole of it can be taken in.
    const there = await taken(again, copy);
    expect(
      (await again.reads.scopeHistory(CALLER.tenant, `scope:imported:${there}:desk`, 2000))?.entries,
    ).toHaveLength(2000);
  });

  it('is removed when it is given up', async () => {
    const { bundle } = await richBundle();
    const other = await startTestEngine();
    await importInto(other, bundle, { parts: 0 });
    expect(await other.execute({ kind: 'abandon-import', rootId: 'nothing' })).toMatchObject({ ok: true });
    await quiet();
    expect(await other.store.arriving()).toEqual([]);
  });
});
