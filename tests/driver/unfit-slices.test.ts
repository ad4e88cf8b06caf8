import { join } from 'node:path';
import type { Slice, Store } from '@baton/engine';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { CALLER, settled, startTestEngine } from './test-engine.ts';

const gate = workflow('w', [node('gate', 'core.approvalGate')]);
const accept = (runId: string) =>
  ({
    kind: 'resolve-interrupt',
    caller: CALLER,
    runId,
    target: { nodeId: 'gate' },
    resumeValue: { action: 'accept' },
    viaToken: false,
    scopes: [],
  }) as const;
const DEFECT = { ok: false, error: { error: 'internal_error' } };

/** The real store, given slices with a time that no column takes wherever `unfit` says so. */
function spoiling(unfit: (slice: Slice) => boolean) {
  const spoil = (slice: Slice): Slice => ({
    ...slice,
    ...(slice.lateOutcome && { lateOutcome: { ...slice.lateOutcome, at: 1e300 } }),
    runs: slice.runs.map((run) => ({ ...run, at: 1e300 })),
  });
  return (store: Store): Store => ({
    ...store,
    commit: (slices) => store.commit(slices.map((slice) => (unfit(slice) ? spoil(slice) : slice))),
  });
}

const isQuarantine = ({ runs }: Slice) =>
  runs.some(({ events }) => events.some((text) => text.includes('run_quarantined')));

describe('a slice that the store refuses for its content', () => {
  it('ends its own tree with an answer, and the others of its round are stored', async () => {
    const bad = new Set<string>();
    const host = await startTestEngine({
      wrap: spoiling((slice) => bad.has(slice.rootId) && !isQuarantine(slice)),
    });
    await host.register(gate);
    const [poisoned, healthy] = [await host.create('w'), await host.create('w')];
    bad.add(poisoned);
    const replies = await Promise.all([host.execute(accept(poisoned)), host.execute(accept(healthy))]);
    expect(replies).toMatchObject([DEFECT, { ok: true }]);
    await settled();
    expect(await host.status(healthy)).toBe('completed');
    expect((await host.events(poisoned)).at(-1)).toMatchObject({
      type: 'run.failed',
      payload: { error: { code: 'run_quarantined' } },
    });
    expect((await host.reads.interrupts(CALLER.tenant, 10)).items).toEqual([]);
    expect(host.logged.join('\n')).toMatch(/refused a slice for its content .*SQLITE_CONSTRAINT/);
    expect(host.fatal).toEqual([]);
  });

  it('is not tried for ever, not even when the tree cannot be set aside either', async () => {
    let attempts = 0;
    const bad = new Set<string>();
    const host = await startTestEngine({
      wrap: spoiling((slice) => {
        if (!bad.has(slice.rootId)) return false;
        attempts += 1;
        return true;
      }),
    });
    await host.register(gate);
    const [poisoned, healthy] = [await host.create('w'), await host.create('w')];
    bad.add(poisoned);
    expect(await host.execute(accept(poisoned))).toMatchObject(DEFECT);
    await settled();
    expect(attempts).toBe(2);
    expect(await host.execute(accept(healthy))).toMatchObject({ ok: true });
    expect(host.fatal).toEqual([]);
  });

  it('leaves nothing of a run that it would have created', async () => {
    let refusing = true;
    const host = await startTestEngine({ wrap: spoiling(() => refusing) });
    await host.register(gate);
    const create = { kind: 'create-run', caller: CALLER, body: { workflowId: 'w' } } as const;
    expect(await host.execute(create)).toMatchObject(DEFECT);
    refusing = false;
    expect(await host.execute(create)).toMatchObject({ ok: true });
    expect((await host.reads.runs({ tenant: CALLER.tenant, limit: 10 })).items).toHaveLength(1);
    expect(host.fatal).toEqual([]);
  });

  it('does not set a tree aside for an outcome that came too late', async () => {
    let finish: () => void = () => undefined;
    const outcome = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const host = await startTestEngine({
      wrap: spoiling((slice) => slice.lateOutcome !== undefined),
      perform: () => outcome.then(() => ({ kind: 'done', outputs: {} })),
    });
    await host.register(workflow('acting', [node('act', 'core.conformance.side-effect')]));
    const runId = await host.create('acting');
    await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
    finish();
    await settled();
    expect(await host.status(runId)).toBe('cancelled');
    expect(host.logged.join('\n')).toMatch(/refused a slice for its content/);
    expect(host.fatal).toEqual([]);
  });
});

describe('a database that is broken', () => {
  it('still stops the process', async () => {
    const host = await startTestEngine();
    await host.register(gate);
    const runId = await host.create('w');
    const raw = new Database(join(host.folder, 'baton.db'));
    raw.exec('DROP TABLE interrupts');
    raw.close();
    void host.execute(accept(runId));
    await settled();
    expect(host.fatal).toHaveLength(1);
  });
});
