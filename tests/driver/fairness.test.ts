import { expect, it } from 'vitest';
import { boss, hand, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { CALLER, startTestEngine } from './test-engine.ts';

it('takes the command of a caller after one turn of another tenant, however many trees of that one go on and on', async () => {
  const turns: string[] = [];
  const host = await startTestEngine({
    share: { events: 1, bytes: 1_000_000, ms: 1_000_000 },
    inHand: { take: ({ rootId }) => void turns.push(rootId ?? 'new'), putDown: () => undefined },
  });
  const loop = Array.from({ length: 400 }, () => hand('w'));
  await host.register(boss(loop), workflow('w', [node('only', 'core.noop')]));
  const busy = Array.from({ length: 20 }, () =>
    host.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'boss' } }),
  );
  await Promise.all(busy);
  const quiet = { tenant: 'quiet', principal: 'q' };
  const cancel = (runId: string) => host.execute({ kind: 'cancel-run', runId, caller: quiet });
  const before = turns.length;
  const [first] = await Promise.all([cancel('of-nobody'), cancel('of-no-one')]);
  expect(first).toMatchObject({ error: { error: 'not_found' } });
  const mine = turns.slice(before).flatMap((rootId, at) => (rootId.startsWith('of-no') ? [at] : []));
  // What is already in the round comes first; after that at most one job of the other tenant.
  expect(mine[0]).toBeLessThanOrEqual(2);
  expect((mine[1] ?? 0) - (mine[0] ?? 0)).toBeLessThanOrEqual(2);
});

it('takes the command of a tenant after one command of another, however many that one has queued', async () => {
  const turns: string[] = [];
  const host = await startTestEngine({
    inHand: { take: ({ rootId = '' }) => void turns.push(rootId), putDown: () => undefined },
  });
  const cancel = (tenant: string, runId: string) =>
    host.execute({ kind: 'cancel-run', runId, caller: { tenant, principal: 'p' } });
  const busy = Array.from({ length: 50 }, () => cancel('busy', 'of-busy'));
  await Promise.all([...busy, cancel('quiet', 'of-quiet')]);
  expect(turns).toHaveLength(51);
  expect(turns.indexOf('of-quiet')).toBeLessThanOrEqual(1);
});

it('stores the commands of others before it takes up a job of a tenant whose jobs take long', async () => {
  const seen: string[] = [];
  // A new run takes a second.
  let now = 0;
  const host = await startTestEngine({
    elapsed: () => now,
    inHand: {
      take: ({ rootId = 'new run' }) => {
        seen.push(rootId);
        if (rootId === 'new run') now += 1000;
      },
      putDown: () => void seen.push('stored'),
    },
  });
  const long = node('long', 'vendor.baton.set', { assign: { r: 'variables.l.map(x, x + 1).size()' } });
  await host.register(workflow('slow', [long], { variables: [{ name: 'l', type: 'array' }] }));
  const slow = () =>
    host.execute({
      kind: 'create-run',
      caller: CALLER,
      body: { workflowId: 'slow', inputs: { l: Array.from({ length: 60_000 }, (_, n) => n) } },
    });
  // The first one takes longer than a round may; its tenant is known for that from then on.
  await slow();
  seen.length = 0;
  const quiet = { tenant: 'quiet', principal: 'q' };
  await Promise.all([slow(), host.execute({ kind: 'cancel-run', runId: 'of-quiet', caller: quiet })]);
  const between = seen.slice(seen.indexOf('of-quiet'), seen.indexOf('new run'));
  expect(seen.indexOf('of-quiet')).toBeLessThan(seen.indexOf('new run'));
  expect(between).toContain('stored');
});
