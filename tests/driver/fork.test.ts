import { setVariables } from '@baton/conformance/engine';
import type { RunOrigin } from '@baton/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  boss,
  declare,
  hand,
  look,
  node,
  remember,
  TERMINATE,
  worker,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { after, answer, child, effect, expectSameFrom, gate, line, quiet, replay, start } from './forking.ts';
import { fork, saw } from './rewinding.ts';
import { type Bench, CALLER, creationOf, handClock, runIdOf, startTestEngine } from './test-engine.ts';

/** What callers ask of forks, and what they are refused. What every fork does is tested in `forks/`. */

const EFFECTS = line('effects', [effect('first'), gate('gate'), effect('second')]);

async function host(...definitions: readonly Record<string, unknown>[]) {
  const time = handClock();
  const top = await startTestEngine({ clock: time.clock });
  await top.register(...definitions);
  return { top, time };
}

const branch = async (top: Bench, runId: string, fromSeq: number, more: Record<string, unknown> = {}) =>
  (await fork(top, runId, { mode: 'branch', fromSeq, ...more })).runId;
const end = async (top: Bench, runId: string) => (await top.events(runId)).length;

describe('a replay', () => {
  it('follows what its source had done when it was forked, and nothing later, also after a crash', async () => {
    verifies('REPLAY-12');
    const { top: first } = await host(line('twice', [gate('one'), gate('two')]));
    const source = await start(first, 'twice');
    const waiting = await replay(first, source);
    const onItsOwn = await replay(first, source);
    await answer(first, onItsOwn, 'one');
    await answer(first, source, 'one');
    await answer(first, source, 'two');
    const top = await first.crash();
    for (const runId of [waiting, onItsOwn]) {
      const before = await top.types(runId);
      const variables = { touched: true };
      expect(await top.execute(setVariables(CALLER, runId, variables))).toMatchObject({
        ok: true,
      });
      await quiet();
      expect(await top.types(runId)).toEqual([...before, 'variable.changed']);
      expect(await top.status(runId)).toBe('waiting-approval');
    }
  });

  it('fails closed where its source came no further, also after a crash, and performs nothing', async () => {
    verifies('REPLAY-14', 'FAIL-06');
    const { top } = await host(EFFECTS);
    const twin = await replay(top, await start(top, 'effects'));
    const again = await top.crash();
    await answer(again, twin, 'gate');
    expect(again.performed).toEqual([]);
    expect((await again.events(twin)).at(-1)).toMatchObject({
      type: 'run.failed',
      payload: { error: { code: 'replay_source_missing' } },
    });
    expect(await again.types(twin)).not.toContain('replay.diverged');
  });

  it('does not try again what its source never did, whatever the node says about retries', async () => {
    verifies('REPLAY-14', 'FAIL-06');
    const settings = { retry: { maxRetries: 1, backoffMs: 0 } };
    const { top, time } = await host(
      line('held', [node('hold', 'core.delay', { ms: 5000 }), effect('effect', { settings })]),
    );
    const source = await start(top, 'held');
    await top.execute({ kind: 'cancel-run', caller: CALLER, runId: source });
    const twin = await replay(top, source);
    await time.move(5000);
    expect((await top.events(twin)).filter(({ nodeId }) => nodeId === 'effect')).toMatchObject([
      { type: 'node.started' },
      { type: 'baton.effect.intended' },
      { type: 'node.failed', payload: { attempts: 1, error: { code: 'replay_source_missing' } } },
    ]);
    expect(top.performed).toEqual([]);
    expect(await top.status(twin)).toBe('failed');
    expect(await top.types(twin)).not.toContain('replay.diverged');
  });
});

describe('a branch', () => {
  it.each(['at its beginning', 'where it waits'])('takes what its caller changes, %s', async (where) => {
    const { top } = await host(line('say', [gate('gate')], { variables: declare({ word: 'old' }) }));
    const source = await start(top, 'say');
    const fromSeq = where === 'at its beginning' ? 0 : await end(top, source);
    const overlay = { variables: { word: 'new' }, tags: ['what-if'], metadata: { why: 'a look' } };
    const runId = await branch(top, source, fromSeq, { runOptionsOverlay: overlay });
    const type = fromSeq === 0 ? 'run.started' : 'baton.run.branched';
    expect((await top.events(runId))[fromSeq]).toMatchObject({ type, payload: overlay });
  });

  it.each([0, 1])('from %i refuses a variable of the wrong type', async (fromSeq) => {
    const { top } = await host(worker('typed', { count: 1 }));
    const runOptionsOverlay = { variables: { count: 'many' } };
    const asked = { mode: 'branch', fromSeq, runOptionsOverlay };
    expect((await fork(top, await start(top, 'typed'), asked)).refused).toMatchObject({
      error: 'validation_error',
      details: { field: 'runOptionsOverlay.variables.count' },
    });
  });

  it.each([0, 5])('from %i has the limits that its caller asks for, within the host’s', async (fromSeq) => {
    const { top } = await host(boss([hand('good'), hand('good'), hand('good'), TERMINATE]), worker('good'));
    const source = await start(top, 'boss', { configurable: { maxLoopIterations: 2 } });
    expect(await top.status(source)).toBe('failed');
    const limited = (runId: string, maxLoopIterations: number) =>
      branch(top, runId, fromSeq, { runOptionsOverlay: { configurable: { maxLoopIterations } } });
    const looser = await limited(source, 10);
    expect(await top.status(looser)).toBe('completed');
    await expectSameFrom(top, looser, [fromSeq], [source]);
    expect(await top.status(await limited(looser, 3))).toBe('failed');
  });

  it('STATE-03 keeps the limits of the run that it does not change', async () => {
    const { top, time } = await host(line('asks', [gate('gate')]));
    const source = await start(top, 'asks', { configurable: { runTimeoutMs: 1000 } });
    for (const fromSeq of [0, await end(top, source)]) {
      const runOptionsOverlay = { configurable: { recursionLimit: 50 } };
      const runId = await branch(top, source, fromSeq, { runOptionsOverlay });
      await time.move(1001);
      expect([fromSeq, await top.status(runId)]).toEqual([fromSeq, 'failed']);
    }
  });

  it.each([
    ['than their own key', ['runs:create', 'workspace:write'], ['runs:create']],
    ['than the run that it comes from', ['runs:create'], ['runs:create', 'workspace:write']],
  ])('by somebody else acts in their name, and may do no more %s', async (_than, first, scopes) => {
    verifies('SCOPE-02', 'FAIL-11');
    const file = node('file', 'vendor.baton.workspace.write', { path: 'a.md', content: 'x' });
    const { top } = await host(line('files', [gate('gate'), file]));
    const runId = runIdOf(await top.execute({ ...creationOf('files'), scopes: first }));
    await quiet();
    const asked = { mode: 'branch', fromSeq: await end(top, runId) } as const;
    const ben = { ...CALLER, principal: 'ben' };
    const twin = runIdOf(await top.execute({ kind: 'fork-run', caller: ben, runId, body: asked, scopes }));
    await quiet();
    expect((await top.reads.run(CALLER.tenant, twin))?.principal).toBe('ben');
    await answer(top, twin, 'gate');
    expect((await top.events(twin)).at(-1)).toMatchObject({
      type: 'run.failed',
      payload: { error: { code: 'forbidden' } },
    });
  });

  it('and its source go on beside each other, with children and memory of their own', async () => {
    verifies('READ-31', 'MEM-09');
    const note = (key: string) => remember(key, { key, content: 'x' });
    const { top } = await host(
      line('parent', [note('before'), child('call', 'asks'), note('behind'), look('look')]),
      line('asks', [look('look'), gate('gate'), note('below')]),
    );
    const source = await start(top, 'parent', { scopeId: 'desk' });
    const runId = await branch(top, source, await end(top, source));
    const before = [await top.events(source), await top.events(`${source}.1`)];
    await answer(top, `${runId}.1`, 'gate');
    expect(await top.status(runId)).toBe('completed');
    expect([await top.events(source), await top.events(`${source}.1`)]).toEqual(before);
    expect((await top.reads.scope(CALLER.tenant, 'scope:desk'))?.version).toBe(1);
    await answer(top, `${source}.1`, 'gate');
    for (const one of [source, runId])
      expect((await saw(top, one, 'look'))?.toSorted()).toEqual(['before=x', 'behind=x', 'below=x']);
  });

  it('can be made at any index, begins where the step begins, and says both', async () => {
    verifies('READ-36', 'MEM-10', 'READ-18');
    const { top: first } = await host(
      line('story', [
        remember('note', { key: 'k', content: 'x' }),
        effect('act'),
        gate('gate'),
        look('look'),
      ]),
    );
    const source = await start(first, 'story');
    await answer(first, source, 'gate');
    const top = await first.crash();
    const { length } = await top.events(source);
    const starts = (await top.store.placedEvents(source, 0, length)).map((event) => event.starts);
    for (let fromSeq = 1; fromSeq < length; fromSeq += 1) {
      const body = { mode: 'branch', fromSeq } as const;
      const cut = starts.lastIndexOf(true, fromSeq);
      const reply = await top.execute({ kind: 'fork-run', caller: CALLER, runId: source, body });
      expect(reply).toMatchObject({ ok: true, value: { fromSeq: cut, requestedFromSeq: fromSeq } });
      if (!reply.ok || reply.value.kind !== 'fork') continue;
      const { runId } = reply.value;
      expect((await top.events(runId))[cut]).toMatchObject({ type: 'baton.run.branched', runId });
    }
  });

  it('of a run that was cancelled can be made before its last step, and lives on', async () => {
    const { top } = await host(line('w', [node('a', 'core.noop'), gate('gate')]));
    const source = await start(top, 'w');
    await top.execute({ kind: 'cancel-run', caller: CALLER, runId: source });
    await quiet();
    const { refused } = await fork(top, source, { mode: 'branch', fromSeq: await end(top, source) });
    expect(refused).toMatchObject({ error: 'fork_point_not_found', details: { runStatus: 'cancelled' } });
    const runId = await branch(top, source, Number(refused?.details?.newestFromSeq));
    await answer(top, runId, 'gate');
    expect(await top.status(runId)).toBe('completed');
  });

  it('is no longer what another host has started, which a replay repeats', async () => {
    const origin: RunOrigin = {
      cause: 'a2a-message',
      hostId: 'host-acme',
      runId: 'run-of-acme',
      causationId: 'run-of-acme:7',
      wellKnownUrl: 'https://acme.example/.well-known/openwop',
    };
    const lineage = ['@host-acme/desk'];
    const { top } = await host(line('quick', [node('n', 'core.noop')]));
    const runId = runIdOf(await top.execute({ ...creationOf('quick'), origin, lineage }));
    await quiet();
    const startOf = async (of: string) => (await top.events(of))[0]?.payload;
    expect(await startOf(await replay(top, runId))).toMatchObject({ origin, lineage });
    const branched = await startOf(await branch(top, runId, 0));
    expect(branched).not.toHaveProperty('origin');
    expect(branched).not.toHaveProperty('lineage');
  });
});

describe('a fork is refused', () => {
  beforeEach(() => verifies('REPLAY-13'));
  it.each<[string, Record<string, unknown>, string]>([
    ['before the beginning', { mode: 'replay', fromSeq: -1 }, 'validation_error'],
    ['past the end', { mode: 'replay', fromSeq: 99_999 }, 'fork_point_not_found'],
    ['as a replay with changes', { mode: 'replay', runOptionsOverlay: { tags: ['x'] } }, 'validation_error'],
    ['as a branch from nowhere', { mode: 'branch' }, 'validation_error'],
    ['in a mode that there is not', { mode: 'rewind' }, 'validation_error'],
    ['with recorded models', { mode: 'branch', fromSeq: 1, models: 'recorded' }, 'validation_error'],
  ])('%s', async (_name, body, error) => {
    const { top } = await host(EFFECTS);
    expect((await fork(top, await start(top, 'effects'), body)).refused).toMatchObject({ error });
  });

  it('for a run that is not there, or is somebody else’s', async () => {
    const { top } = await host(EFFECTS);
    const runId = await start(top, 'effects');
    const body = { mode: 'replay' } as const;
    expect((await fork(top, 'nobody', body)).refused).toMatchObject({ error: 'not_found' });
    const caller = { tenant: 'other', principal: 'eve' };
    const reply = await top.execute({ kind: 'fork-run', caller, runId, body });
    expect(reply).toMatchObject({ ok: false, error: { error: 'not_found' } });
  });

  it('as a branch of a child that has ended below a parent that has not', async () => {
    const { top } = await host(line('parent', [child('call', 'below'), gate('gate')]), worker('below'));
    const below = `${await start(top, 'parent')}.1`;
    const asked = { mode: 'branch', fromSeq: await end(top, below) };
    expect((await fork(top, below, asked)).refused).toMatchObject({ error: 'fork_point_not_found' });
  });
});

describe('a branch of a child', () => {
  it('MEM-09 begins again with what the child began with, of whoever wrote it', async () => {
    const { top } = await host(
      line('root', [remember('a', { key: 'a', content: 'x' }), child('call', 'middle')]),
      line('middle', [remember('b', { key: 'b', content: 'x' }), child('call', 'leaf')]),
      line('leaf', [look('look')]),
    );
    const source = `${await start(top, 'root', { scopeId: 'desk' })}.1.1`;
    expect(await saw(top, source, 'look')).toEqual(['b=x', 'a=x']);
    for (const fromSeq of [0, 1, await after(top, source, 'node.started')])
      expect(await saw(top, await branch(top, source, fromSeq), 'look')).toEqual(['b=x', 'a=x']);
  });
});
