import type { EffectOutcome } from '@baton/engine';
import { childRunId, runError } from '@baton/protocol';
import { expect, it } from 'vitest';
import { fork, replay, start } from '../driver/forking.ts';
import { type Bench, CALLER, settled } from '../driver/test-engine.ts';
import { done, parent, pending, performing, remoteBench, statement, TASK } from './remote-bench.ts';

/** The work that goes on at another host when its run has ended here: the host has to be told. */

const NEVER = (): Promise<EffectOutcome> => new Promise(() => undefined);
const STRANGER = { meet: done({ repeatable: false }) };

/** A message to the other host that is answered when the test says so. */
function answeredLater() {
  let resolve: (outcome: EffectOutcome) => void = () => undefined;
  return {
    send: () =>
      new Promise<EffectOutcome>((given) => {
        resolve = given;
      }),
    answer: (outcome: EffectOutcome) => resolve(outcome),
  };
}

async function began(host: Bench) {
  await host.register(parent());
  const runId = await start(host, 'parent');
  return { runId, child: childRunId(runId, 1) };
}

async function cancel(host: Bench, runId: string): Promise<void> {
  await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
  await settled();
}

const cancels = (host: Bench) => host.reads.remoteCancels(undefined, 9);

it('is named by the id of its task, in the slice that cancels the run', async () => {
  const host = await remoteBench({ check: NEVER });
  const { runId, child } = await began(host);
  expect(await cancels(host)).toEqual([]);
  await cancel(host, runId);
  const told = { runId: child, peer: 'acme', task: TASK, namedBy: 'id' };
  expect(await cancels(host)).toMatchObject([told]);
  const next = await host.crash({ perform: performing({}) });
  const [stored] = await cancels(next);
  expect(stored).toMatchObject(told);
  await next.execute({ kind: 'settle-remote-cancel', cancel: stored! });
  expect(await cancels(next)).toEqual([]);
});

it('is named by the key of its message, as long as no answer has come', async () => {
  const host = await remoteBench({ send: NEVER });
  const { runId, child } = await began(host);
  await cancel(host, runId);
  const { key } = host.performed[1]!;
  expect(await cancels(host)).toMatchObject([{ runId: child, peer: 'acme', task: key, namedBy: 'key' }]);
});

it('is named by the id of its task, when the answer comes after the run has ended', async () => {
  const { send, answer } = answeredLater();
  for (const others of [{}, STRANGER]) {
    const host = await remoteBench({ ...others, send });
    const { runId, child } = await began(host);
    await cancel(host, runId);
    expect(await cancels(host)).toHaveLength(others === STRANGER ? 0 : 1);
    answer(done({ taskId: TASK }));
    await settled();
    expect(await cancels(host)).toMatchObject([{ runId: child, peer: 'acme', task: TASK, namedBy: 'id' }]);
  }
});

it('is nothing when the result of an agent comes at once, but late', async () => {
  const { send, answer } = answeredLater();
  const host = await remoteBench({ ...STRANGER, send });
  await cancel(host, (await began(host)).runId);
  answer(done({ taskId: 'message-1', outputs: { text: 'Hi.' } }));
  await settled();
  expect(await cancels(host)).toEqual([]);
});

it('is nothing before the message is sent, and after the result has come', async () => {
  const before = await remoteBench({ meet: NEVER });
  await cancel(before, (await began(before)).runId);
  const after = await remoteBench({});
  expect(await after.status((await began(after)).runId)).toBe('completed');
  expect([await cancels(before), await cancels(after)]).toEqual([[], []]);
});

it('has ended there too when the peer says so, and goes on when its answer is of no use', async () => {
  const ended = {
    state: 'failed',
    error: runError('node_failed'),
    statement: { ...statement({}, { status: 'failed' }) },
  };
  const lost = { state: 'failed', error: runError('remote_run_lost') };
  const refused = { state: 'failed', error: runError('peer_unauthorized') };
  const counts: number[] = [];
  for (const finished of [ended, lost, refused, { state: 'excellent' }]) {
    const host = await remoteBench({ check: done(JSON.parse(JSON.stringify(finished))) });
    expect(await host.status((await began(host)).runId)).toBe('failed');
    counts.push((await cancels(host)).length);
  }
  expect(counts).toEqual([0, 0, 1, 1]);
});

it('belongs to the run that has sent it: a replay and a branch leave it alone', async () => {
  // With a slice for each step, also the states within the replay are stored.
  const host = await remoteBench({ check: NEVER }, { share: { events: 1, bytes: 1, ms: 1 } });
  const { runId, child } = await began(host);
  const head = (await host.events(child)).length;
  const branch = await fork(host, child, { mode: 'branch', fromSeq: head });
  const copy = await replay(host, runId);
  await cancel(host, branch);
  // The log of its source ends before an outcome of the check.
  expect([await host.status(branch), await host.status(copy)]).toEqual(['cancelled', 'failed']);
  expect(await cancels(host)).toEqual([]);
  await cancel(host, runId);
  expect(await cancels(host)).toHaveLength(1);
  await replay(host, runId);
  expect(await cancels(host)).toHaveLength(1);
});

it('goes on when its run ends from outside, because its tenant has no storage left', async () => {
  const host = await remoteBench({ check: NEVER });
  const { runId, child } = await began(host);
  const next = await host.crash({ perform: performing({ check: pending }), limits: { tenantBytes: 1 } });
  await settled();
  expect(await next.status(runId)).toBe('failed');
  expect(await next.types(child)).not.toContain('node.failed');
  expect(await cancels(next)).toMatchObject([{ runId: child, task: TASK }]);
});
