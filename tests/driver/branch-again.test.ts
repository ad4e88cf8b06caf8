import type { RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { edge, look, node, remember, workflow } from '../../packages/engine/src/simulation/workflows.ts';
import { type Bench, bench, handClock } from './bench-top.ts';
import { after, answer, child, fork, gate, line, start } from './forking.ts';

/** Branches and retries where something more than one run, one time or one scope is involved. */

const last = <T extends RunEvent['type']>(top: Bench, runId: string, type: T) =>
  top.events(runId).findLast((event): event is Extract<RunEvent, { type: T }> => event.type === type);

/** The ids that the run found when it last looked. */
function found(top: Bench, runId: string): readonly string[] {
  const entries = last(top, runId, 'variable.changed')?.payload.next as { id: string }[] | undefined;
  return entries?.map(({ id }) => id) ?? [];
}

describe('time in a branch', () => {
  it('leaves a child the time that it had left when its parent was cut', async () => {
    const time = handClock();
    const top = await bench({ clock: time.clock });
    const data = { eventType: 'paid', correlation: {} };
    const nodes = [child('call', 'waits'), node('wait', 'core.delay', { ms: 50_000 }), gate('ask')];
    await top.register(
      workflow('parent', nodes, { edges: [edge('wait', 'ask')] }),
      line('waits', [node('pay', 'core.interrupt', { kind: 'external-event', data, timeoutMs: 60_000 })]),
    );
    const source = await start(top, 'parent');
    await time.move(50_000);
    await time.move(500_000);
    const fromSeq = after(top, source, 'node.suspended', 'ask');
    const branch = await fork(top, source, { mode: 'branch', fromSeq });
    await time.move(9000);
    expect(top.status(`${branch}.1`)).toBe('waiting-external');
    await time.move(2000);
    expect(top.status(`${branch}.1`)).toBe('failed');
  });

  it('MEM-17 judges what a child remembers at the cut of its parent', async () => {
    const time = handClock();
    const top = await bench({ clock: time.clock });
    const nodes = [
      remember('note', { key: 'k', content: 'x', ttlSeconds: 30 }),
      child('call', 'waits'),
      node('wait', 'core.delay', { ms: 50_000 }),
      gate('ask'),
    ];
    await top.register(
      workflow('parent', nodes, { edges: [edge('note', 'call'), edge('note', 'wait'), edge('wait', 'ask')] }),
      line('waits', [gate('hold'), look('look')]),
    );
    const source = await start(top, 'parent');
    await time.move(50_000);
    const fromSeq = after(top, source, 'node.suspended', 'ask');
    const branch = await fork(top, source, { mode: 'branch', fromSeq });
    await answer(top, `${source}.1`, 'hold');
    await answer(top, `${branch}.1`, 'hold');
    expect(found(top, `${source}.1`)).toEqual([]);
    expect(found(top, `${branch}.1`)).toEqual([]);
  });

  it('MEM-17 judges it at the beginning of its source when it begins again', async () => {
    const time = handClock();
    const top = await bench({ clock: time.clock });
    await top.register(
      line('writes', [remember('note', { key: 'k', content: 'x', ttlSeconds: 30 })]),
      line('reads', [look('look')]),
    );
    await start(top, 'writes', { scopeId: 'desk' });
    const source = await start(top, 'reads', { scopeId: 'desk' });
    await time.move(60_000);
    for (const fromSeq of [0, 1]) {
      expect(found(top, await fork(top, source, { mode: 'branch', fromSeq }))).toEqual(['k']);
    }
  });
});
