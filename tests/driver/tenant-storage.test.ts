import type { Command } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import { node } from '../../packages/conformance/src/testkit/workflows.ts';
import { answer, child, effect, gate, line, quiet, replay, start } from './forking.ts';
import { answerTo, type Bench, CALLER, creationOf, latch, runIdOf, startTestEngine } from './test-engine.ts';

/** A limit on what a tenant stores. Tests set it through what the store says, so that they need not fill a disk. */

const LIMIT = 1_000_000;
const OTHER = { tenant: 'other', principal: 'ana' };
const REFUSED = { ok: false, error: { error: 'tenant_storage_full', details: { limitBytes: LIMIT } } };

/** A host on which `acme` counts as full whenever the test says so. */
async function limited(options: Parameters<typeof startTestEngine>[0] = {}) {
  const state = { full: false, asked: 0 };
  const top = await startTestEngine({
    limits: { tenantBytes: LIMIT },
    ...options,
    wrap: (store) => ({
      ...store,
      bytesOf: async (tenant) => {
        state.asked += 1;
        return state.full && tenant === CALLER.tenant ? LIMIT : store.bytesOf(tenant);
      },
    }),
  });
  return { top, state };
}

const put = (top: Bench, content: string, caller = CALLER) =>
  top.execute({ kind: 'put-file', caller, workspace: 'w', path: 'f', content, contentType: 'text/plain' });

const failure = async (top: Bench, runId: string) => (await top.events(runId)).at(-1);
const FAILED = { type: 'run.failed', payload: { error: { code: 'storage_exceeded' } } };

describe('a tenant that stores as much as it may', () => {
  it('is refused everything that adds to it, and may still cancel and delete', async () => {
    const { top, state } = await limited();
    await top.register(line('w', [gate('g')]), line('short', [node('n', 'core.noop')]));
    const ended = await start(top, 'short');
    const waiting = await start(top, 'w');
    expect(await put(top, 'text')).toMatchObject({ ok: true });
    state.full = true;
    const caller = CALLER;
    const more: readonly Command[] = [
      creationOf('w'),
      { kind: 'fork-run', caller, runId: ended, body: { mode: 'replay', fromSeq: 0 } as never },
      { kind: 'retry-run', caller, runId: ended, body: {} as never },
      { kind: 'register-workflow', caller, definition: line('v', [gate('g')]) as never, shared: false },
      answerTo(waiting, 'g'),
    ];
    for (const command of more)
      expect([command.kind, await top.execute(command)]).toMatchObject([command.kind, REFUSED]);
    expect(await put(top, 'more')).toMatchObject(REFUSED);
    expect(await put(top, 'text', OTHER)).toMatchObject({ ok: true });
    const fewer: readonly Command[] = [
      { kind: 'cancel-run', caller, runId: waiting },
      { kind: 'delete-file', caller, workspace: 'w', path: 'f' },
    ];
    for (const command of fewer)
      expect([command.kind, await top.execute(command)]).toMatchObject([command.kind, { ok: true }]);
    expect(await top.status(waiting)).toBe('cancelled');
    state.full = false;
    expect(await put(top, 'again')).toMatchObject({ ok: true });
  });

  it('is refused a file that does not fit, also where many come at once', async () => {
    const { top } = await limited();
    const size = Math.floor(LIMIT / 4);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => put(top, String(index).repeat(size))),
    );
    expect(replies.filter(({ ok }) => ok).length).toBeLessThan(5);
    expect(await top.store.bytesOf(CALLER.tenant)).toBeLessThan(LIMIT + 1000);
  });

  it('has its runs fail when they want to go on, while those that wait are left alone', async () => {
    const { opened, open } = latch();
    const { top, state } = await limited({
      perform: () => opened.then(() => ({ kind: 'done', outputs: {} })),
    });
    await top.register(
      line('inner', [effect('e')]),
      line('outer', [child('c', 'inner'), gate('g')]),
      line('w', [gate('g')]),
    );
    const [runId, waiting] = [await start(top, 'outer'), await start(top, 'w')];
    state.full = true;
    open();
    await quiet();
    for (const id of [runId, `${runId}.1`]) {
      expect(await top.status(id)).toBe('failed');
      expect(await failure(top, id)).toMatchObject(FAILED);
    }
    expect(await top.status(waiting)).toBe('waiting-approval');
    state.full = false;
    await answer(top, waiting, 'g');
    await quiet();
    expect(await top.status(waiting)).toBe('completed');
    expect(top.fatal).toEqual([]);
    // A replay comes to the same end, without a divergence.
    const again = await replay(top, runId);
    expect(await top.status(again)).toBe('failed');
    expect(await top.types(again)).toEqual(await top.types(runId));
    expect(await top.types(`${again}.1`)).toEqual(await top.types(`${runId}.1`));
    expect(await failure(top, again)).toMatchObject(FAILED);
  });

  it('has an endless run stopped between two slices', async () => {
    const { top, state } = await limited({ share: { events: 4, bytes: 1e9, ms: 1e9 } });
    const nodes = Array.from({ length: 60 }, (_, index) => node(`n${index}`, 'core.noop'));
    await top.register(line('long', nodes));
    const runId = runIdOf(await top.execute(creationOf('long')));
    state.full = true;
    await quiet();
    expect(await failure(top, runId)).toMatchObject(FAILED);
  });
});

describe('a host without a limit', () => {
  it('never asks how much a tenant stores', async () => {
    const { top, state } = await limited({ limits: {} });
    await top.register(line('w', [effect('e')]));
    const runId = await start(top, 'w');
    expect([await top.status(runId), state.asked]).toEqual(['completed', 0]);
  });
});
