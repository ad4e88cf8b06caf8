import type { EffectOutcome } from '@baton/engine';
import { childRunId, digest, type JsonObject } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { answer, replay, start } from '../driver/forking.ts';
import { type Bench, CALLER, handClock, settled } from '../driver/test-engine.ts';
import { verifies } from '../verifies.ts';
import {
  completed,
  done,
  parent,
  pending,
  performing,
  remoteBench,
  statement,
  supervised,
  TASK,
} from './remote-bench.ts';

/** A worker of another host, as a run of this host: how it is handed over, followed and taken. */

const payloads = async (host: Bench, runId: string, type: string) =>
  (await host.events(runId))
    .filter((event) => event.type === type)
    .map(({ payload }) => payload as JsonObject);

const transitions = async (host: Bench, runId: string) =>
  (await payloads(host, runId, 'core.workflowChain.event')).map(({ phase }) => phase);

const errorOf = async (host: Bench, runId: string) =>
  ((await payloads(host, runId, 'run.failed'))[0]?.error as JsonObject | undefined)?.code;

async function outcomeOf(host: Bench) {
  await host.register(parent());
  const runId = await start(host, 'parent');
  return { runId, child: childRunId(runId, 1), status: await host.status(runId) };
}

describe('a worker of another host', () => {
  it('is a child run, and its outputs are merged as those of every child', async () => {
    const host = await remoteBench();
    const { runId, child, status } = await outcomeOf(host);
    expect(status).toBe('completed');
    expect(host.performed.map(({ kind }) => kind)).toEqual(['peer.meet', 'peer.send', 'peer.check']);
    expect(host.performed[1]?.request).toMatchObject({
      peer: 'acme',
      worker: 'translate',
      inputs: { task: 'owls' },
      lineage: ['parent'],
    });
    expect(await payloads(host, runId, 'variable.changed')).toMatchObject([
      { name: 'report', next: 'Done there.' },
    ]);
    expect(await transitions(host, child)).toEqual([
      'dispatch.began',
      'dispatch.succeeded',
      'child.completed',
      'output.harvested',
    ]);
    expect(await payloads(host, child, 'node.completed')).toMatchObject([
      { outputs: { childRunId: TASK, hostId: 'host-b' } },
    ]);
  });

  it('is handed work by a supervisor with the same events as a worker of this host', async () => {
    const host = await remoteBench();
    await host.register(supervised());
    const runId = await start(host, 'boss');
    expect(await host.status(runId)).toBe('completed');
    expect(await transitions(host, runId)).toEqual([
      'dispatch.began',
      'dispatch.succeeded',
      'child.completed',
      'output.harvested',
    ]);
    expect(await payloads(host, runId, 'variable.changed')).toMatchObject([
      { name: 'report', next: 'Done there.' },
    ]);
  });

  it('names the host of a cause that is elsewhere, and no host for causes of this host', async () => {
    verifies('XHOST-01');
    verifies('XHOST-03');
    const host = await remoteBench();
    const { runId, child } = await outcomeOf(host);
    const ended = (await host.events(child)).find(
      ({ payload }) => (payload as JsonObject).phase === 'child.completed',
    );
    expect(ended).toMatchObject({ causationId: `${TASK}:7`, payload: { causationHostId: 'host-b' } });
    const local = [...(await host.events(runId)), ...(await host.events(child))].filter(
      (event) => event !== ended,
    );
    for (const { payload, causationId } of local) {
      if ((payload as JsonObject).phase === 'child.completed' && causationId === `${TASK}:7`) continue;
      expect(payload).not.toHaveProperty('causationHostId');
    }
  });

  it('XHOST-16 READ-16 is not merged when the checksum is not that of the outputs', async () => {
    const changed = { text: 'Changed on the way.' };
    const lie = { ...completed({ text: 'Done there.' }), outputs: changed, received: digest(changed) };
    const host = await remoteBench({ check: done(lie) });
    const { runId, child, status } = await outcomeOf(host);
    expect(status).toBe('failed');
    expect(await errorOf(host, child)).toBe('remote_result_mismatch');
    expect(await transitions(host, child)).toEqual(['dispatch.began', 'dispatch.succeeded', 'child.failed']);
    expect(await payloads(host, runId, 'variable.changed')).toEqual([]);
    expect(await payloads(host, child, 'variable.changed')).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['of another run', completed({ text: 'x' }, { runId: 'another' })],
    ['of another host', completed({ text: 'x' }, { hostId: 'host-c' })],
    ['of a run that failed', completed({ text: 'x' }, { status: 'failed' })],
    ['that nobody signed', { state: 'completed', outputs: { text: 'x' } }],
  ])('is not merged with a statement %s', async (_name, finished) => {
    const host = await remoteBench({ check: done(finished) });
    const { runId, child, status } = await outcomeOf(host);
    expect(status).toBe('failed');
    expect(await errorOf(host, child)).toBe('remote_result_mismatch');
    expect(await payloads(host, runId, 'variable.changed')).toEqual([]);
  });

  it('fails when the run there failed, with the cause', async () => {
    const error = { code: 'node_failed', message: 'No.' };
    const failed = { state: 'failed', error, statement: { ...statement({}, { status: 'failed' }) } };
    const host = await remoteBench({ check: done(failed) });
    const { child, status } = await outcomeOf(host);
    expect(status).toBe('failed');
    expect(await payloads(host, child, 'run.failed')).toMatchObject([
      { error: { code: 'child_failed', details: { childError: 'node_failed' } } },
    ]);
  });

  it('fails when the other host has lost the run, and when it answers nonsense', async () => {
    const lost = { state: 'failed', error: { code: 'remote_run_lost', message: 'Gone.' } };
    expect((await outcomeOf(await remoteBench({ check: done(lost) }))).status).toBe('failed');
    const second = await remoteBench({ check: done({ state: 'excellent' }) });
    const { child, status } = await outcomeOf(second);
    expect(status).toBe('failed');
    expect(await errorOf(second, child)).toBe('peer_answer_invalid');
  });

  const NONSENSE = done({ nonsense: true });
  const UNREACHED: EffectOutcome = {
    kind: 'failed',
    error: { code: 'event_too_large', message: 'Too large.' },
    retryable: false,
  };

  it.each<[string, EffectOutcome, string]>([
    ['an answer that cannot be read', NONSENSE, 'peer_answer_invalid'],
    ['a failure', UNREACHED, 'event_too_large'],
  ])('ends with a transition after %s, however far it has come', async (_name, outcome, code) => {
    const ends: [string, readonly string[]][] = [
      ['meet', ['dispatch.began', 'dispatch.failed']],
      ['send', ['dispatch.began', 'dispatch.failed']],
      ['check', ['dispatch.began', 'dispatch.succeeded', 'child.failed']],
    ];
    for (const [step, phases] of ends) {
      const host = await remoteBench({ [step]: outcome });
      const { runId, child, status } = await outcomeOf(host);
      expect(status).toBe('failed');
      expect(await errorOf(host, child)).toBe(code);
      const told = await payloads(host, child, 'core.workflowChain.event');
      expect(told.map(({ phase }) => phase)).toEqual(phases);
      expect(told.at(-1)).toMatchObject({ error: { code } });
      const copy = await replay(host, runId);
      expect(await host.types(childRunId(copy, 1))).toEqual(await host.types(child));
    }
  });

  it('is not begun when another host answers at the address', async () => {
    const problem = { code: 'peer_identity_mismatch', message: 'Another host.' };
    const host = await remoteBench({ meet: done({ repeatable: false, problem }) });
    const { child, status } = await outcomeOf(host);
    expect(status).toBe('failed');
    expect(await transitions(host, child)).toEqual(['dispatch.began', 'dispatch.failed']);
    expect(host.performed.map(({ kind }) => kind)).toEqual(['peer.meet']);
  });

  it('is replayed without a word to the other host', async () => {
    const host = await remoteBench();
    const { runId, child } = await outcomeOf(host);
    const asked = host.performed.length;
    const copy = await replay(host, runId);
    expect(await host.types(copy)).toEqual(await host.types(runId));
    expect(await host.types(childRunId(copy, 1))).toEqual(await host.types(child));
    expect(await host.status(copy)).toBe('completed');
    expect(host.performed).toHaveLength(asked);
  });
});

describe('work that takes long', () => {
  it('is asked about again later, and at once when the other host reports its end', async () => {
    const { clock, move } = handClock();
    let ended = false;
    const check = (): EffectOutcome => (ended ? done(completed({ text: 'At last.' })) : pending);
    const host = await remoteBench({ check }, { clock });
    const { runId, child } = await outcomeOf(host);
    expect(await host.status(runId)).toBe('running');
    for (let minute = 0; minute < 60; minute += 1) await move(60_000);
    const asked = host.performed.length;
    expect(asked).toBeLessThan(30);
    ended = true;
    await host.execute({ kind: 'hasten-effects', runId: child });
    await settled();
    expect(await host.status(runId)).toBe('completed');
    expect(host.performed).toHaveLength(asked + 1);
  });

  it('is asked about once more when the report comes while it is asked about', async () => {
    const { clock } = handClock();
    let release: (() => void) | undefined;
    let asked = 0;
    const check = async (): Promise<EffectOutcome> => {
      asked += 1;
      if (asked > 1) return done(completed({ text: 'At last.' }));
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return pending;
    };
    const host = await remoteBench({ check }, { clock });
    const { runId, child } = await outcomeOf(host);
    await host.execute({ kind: 'hasten-effects', runId: child });
    release?.();
    await settled();
    expect(await host.status(runId)).toBe('completed');
  });

  it('goes on after a crash, and is not sent again once it was recorded as sent', async () => {
    const host = await remoteBench({ check: () => new Promise(() => undefined) });
    const { runId } = await outcomeOf(host);
    const next = await host.crash({ perform: performing({}) });
    await settled();
    expect(await next.status(runId)).toBe('completed');
    expect(next.performed.map(({ kind }) => kind)).toEqual(['peer.check']);
  });

  it('is sent again with the same key when the host stopped while it was sent', async () => {
    const host = await remoteBench({ send: () => new Promise(() => undefined) });
    const { runId } = await outcomeOf(host);
    const next = await host.crash({ perform: performing({}) });
    await settled();
    expect(await next.status(runId)).toBe('completed');
    expect(next.performed[0]).toMatchObject({ kind: 'peer.send', again: true, key: host.performed[1]?.key });
  });

  it('ends with its parent', async () => {
    const host = await remoteBench({ check: () => new Promise(() => undefined) });
    const { runId, child } = await outcomeOf(host);
    await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
    await settled();
    expect(await host.status(child)).toBe('cancelled');
  });
});

describe('an agent of another kind', () => {
  const stranger = { meet: done({ repeatable: false }) };
  const lost = (effect: { again?: boolean }): EffectOutcome | Promise<EffectOutcome> =>
    effect.again === true ? done({}) : new Promise(() => undefined);

  it('brings outputs without a statement', async () => {
    const host = await remoteBench({
      ...stranger,
      check: done({ state: 'completed', outputs: { text: 'Hello.' } }),
    });
    const { runId, status } = await outcomeOf(host);
    expect(status).toBe('completed');
    expect(await payloads(host, runId, 'variable.changed')).toMatchObject([{ next: 'Hello.' }]);
  });

  it('may answer at once', async () => {
    const host = await remoteBench({
      ...stranger,
      send: done({ taskId: 'message-1', outputs: { text: 'Hi.' } }),
    });
    const { runId, status } = await outcomeOf(host);
    expect(status).toBe('completed');
    expect(await payloads(host, runId, 'variable.changed')).toMatchObject([{ next: 'Hi.' }]);
  });

  it('is asked a question back, and goes on with the answer of a person', async () => {
    let asked = 0;
    const check = (): EffectOutcome => {
      asked += 1;
      return asked === 1
        ? done({ state: 'question', question: 'Which owls?' })
        : done({ state: 'completed', outputs: { text: 'Barn owls.' } });
    };
    const host = await remoteBench({ ...stranger, check });
    const { runId, child } = await outcomeOf(host);
    expect(await payloads(host, child, 'interrupt.requested')).toMatchObject([
      { kind: 'clarification', data: { questions: [{ question: 'Which owls?' }] } },
    ]);
    await answer(host, child, 'remote', { answers: { answer: 'Barn owls' } });
    expect(await host.status(runId)).toBe('completed');
    expect(host.performed.find(({ kind }) => kind === 'peer.answer')?.request).toMatchObject({
      taskId: TASK,
      answer: 'Barn owls',
    });
  });

  it.each<[string, JsonObject, string, readonly string[]]>([
    ['sends the message again', { action: 'accept' }, 'completed', ['peer.send', 'peer.check']],
    [
      'follows the task that a person names',
      { action: 'edit-accept', editedArtifactData: { taskId: TASK } },
      'completed',
      ['peer.check'],
    ],
    ['gives the work up', { action: 'reject' }, 'failed', []],
  ])(
    'never gets a message twice in silence: a person decides, who %s',
    async (_name, decision, status, then) => {
      const check = done({ state: 'completed', outputs: { text: 'Hello.' } });
      const host = await remoteBench({ ...stranger, send: lost });
      const { runId, child } = await outcomeOf(host);
      const next = await host.crash({ perform: performing({ ...stranger, check, send: lost }) });
      await settled();
      expect(await next.status(child)).toBe('waiting-approval');
      const again = await next.crash({ perform: performing({ ...stranger, check }) });
      await settled();
      await answer(again, child, 'remote', decision);
      expect(await again.status(runId)).toBe(status);
      expect(again.performed.map(({ kind }) => kind)).toEqual(then);
    },
  );
});
