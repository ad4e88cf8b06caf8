import { modelCalls } from '@baton/agents';
import { describe, expect, it } from 'vitest';
import { createMockModel } from '../../packages/conformance/src/seams/mock-model.ts';
import {
  boss,
  edge,
  hand,
  node,
  remember,
  TERMINATE,
  waitingWorker,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { answer, child, gate, line, logOf, quiet, replay, start, treeOf } from './forking.ts';
import { saw } from './rewinding.ts';
import { completionOf, startOf, stepByStep } from './step-by-step.ts';
import { type Bench, CALLER, startTestEngine } from './test-engine.ts';

/** A replay of a run that has not ended, or that was cancelled: there it goes on by itself. */

async function cancel(top: Bench, runId: string): Promise<void> {
  expect(await top.execute({ kind: 'cancel-run', caller: CALLER, runId })).toMatchObject({ ok: true });
  await quiet();
}

const NOTES = [
  gate('gate'),
  node('write', 'vendor.baton.memory.write', { key: 'note', content: 'kept' }),
  node('read', 'vendor.baton.memory.read', { key: 'note', into: 'found' }),
];

it('it reads what it has written itself', async () => {
  const top = await startTestEngine();
  await top.register(line('notes', NOTES));
  const source = await start(top, 'notes');
  const twin = await replay(top, source);
  await answer(top, twin, 'gate');
  expect(await top.status(twin)).toBe('completed');
  expect(await saw(top, twin, 'read')).toEqual(['note=kept']);
  expect(await top.reads.scope(CALLER.tenant, `run:${twin}`)).toMatchObject({ version: 1 });
  expect(await top.reads.scope(CALLER.tenant, `run:${source}`)).toBeUndefined();
});

it.each(['the run itself', 'a child'])('%s can look for an entry until it is there', async (who) => {
  const top = await startTestEngine();
  const probe = node('probe', 'core.identity', { memoryAction: 'write-then-read' });
  const below = node('below', 'core.subWorkflow', { workflowId: 'probes' });
  const nodes = [gate('gate'), who === 'a child' ? below : probe];
  await top.register(workflow('probes', [probe]), line('looks', nodes));
  const twin = await replay(top, await start(top, 'looks'));
  await answer(top, twin, 'gate');
  expect(await top.status(twin)).toBe('completed');
});

it.each([
  ['at once', false],
  ['after a restart', true],
])(
  'it keeps what a child remembered when the outputs of the child are approved %s',
  async (_when, restarts) => {
    let top = await startTestEngine();
    const settings = { outputAttestation: { requireApproval: true } };
    const nodes = [
      node('hand', 'core.subWorkflow', { workflowId: 'writer', outputMapping: {} }, { settings }),
      node('read', 'vendor.baton.memory.read', { key: 'note', into: 'found' }),
    ];
    await top.register(
      workflow('writer', [remember('note', { key: 'note', content: 'of the child' })]),
      line('gated', nodes),
    );
    const source = await start(top, 'gated');
    const twin = await replay(top, source);
    if (restarts) {
      top = await top.crash();
    }
    await answer(top, twin, 'hand');
    expect(await top.status(twin)).toBe('completed');
    expect(await saw(top, twin, 'read')).toEqual(['note=of the child']);
    expect(await top.reads.scope(CALLER.tenant, `run:${twin}`)).toMatchObject({ version: 1 });
    expect(await top.reads.scope(CALLER.tenant, `run:${source}`)).toBeUndefined();
  },
);

describe('it goes on with every run that can, after it has asked a model again', () => {
  const messages = { type: 'static', value: [{ role: 'user', content: 'Is it so?' }] };
  const model = { provider: 'mock', model: 'mock-mini', outputSchema: { type: 'object' } };
  const asks = workflow('asks', [node('call', 'core.ai.structuredOutput', model, { inputs: { messages } })]);

  function answering() {
    const mock = createMockModel();
    mock.program(CALLER.tenant, 'call', [{ content: '{}', stopReason: 'end_turn' }]);
    return modelCalls({ provider: () => mock });
  }

  it('the parent, whose child has ended in an earlier slice', async () => {
    let onCompletion = () => {};
    const top = await stepByStep([[completionOf('sub'), () => onCompletion()]], { perform: answering() });
    const nodes = [gate('gate'), child('sub', 'asks'), node('last', 'core.noop')];
    await top.register(asks, line('parent', nodes));
    const source = await start(top, 'parent');
    let twin: Promise<string> | undefined;
    onCompletion = () => {
      twin = replay(top, source);
    };
    await answer(top, source, 'gate');
    expect(await top.status((await twin) ?? '')).toBe('completed');
  });

  it('a sibling of the run that asked, which was under way', async () => {
    let letAnswer = () => {};
    const mayAnswer = new Promise<void>((resolve) => {
      letAnswer = resolve;
    });
    let onAnswer = () => {};
    const ask = answering();
    const top = await stepByStep(
      [
        [startOf('n1'), () => letAnswer()],
        ['"type":"baton.effect.settled"', () => onAnswer()],
      ],
      {
        perform: async (effect, context) => {
          await mayAnswer;
          return ask(effect, context);
        },
      },
    );
    const long = Array.from({ length: 20 }, (_, at) => node(`n${at}`, 'core.noop'));
    await top.register(
      asks,
      line('long', long),
      workflow('parent', [gate('gate'), child('sub', 'asks'), child('beside', 'long')], {
        edges: [edge('gate', 'sub'), edge('gate', 'beside')],
      }),
    );
    const source = await start(top, 'parent');
    let twin: Promise<string> | undefined;
    onAnswer = () => {
      twin = replay(top, source);
    };
    await answer(top, source, 'gate');
    expect(await top.status((await twin) ?? '')).toBe('completed');
  });
});

describe('a replay of a run that was cancelled', () => {
  it('goes on from where a supervisor was cancelled while its worker was under way', async () => {
    const top = await startTestEngine();
    await top.register(boss([hand('waits'), TERMINATE]), waitingWorker('waits'));
    const source = await start(top, 'boss');
    const before = (await top.events(source)).length;
    await cancel(top, source);
    for (const { sequence } of await top.events(source)) {
      const twin = await replay(top, source, sequence);
      for (const runId of await treeOf(top, twin))
        expect(await top.types(runId)).not.toContain('replay.diverged');
      if (sequence >= before) continue;
      const names = [twin, source];
      expect(await logOf(top, twin, ...names)).toEqual((await logOf(top, source, ...names)).slice(0, before));
      expect(await top.status(twin)).toBe('waiting-approval');
    }
  });

  it('goes on alone from where its source was cancelled, also after it was loaded again', async () => {
    let now = Date.UTC(2026, 0, 1);
    const top = await startTestEngine({ clock: { now: () => now, at: () => () => {} } });
    await top.register(
      line('parent', [child('call', 'lives-on', { waitForCompletion: false }), gate('wait')]),
      line('lives-on', [gate('first'), gate('second'), node('end', 'core.noop')]),
    );
    const source = await start(top, 'parent');
    await cancel(top, source);
    now += 1000;
    await answer(top, `${source}.1`, 'first');
    await answer(top, `${source}.1`, 'second');
    expect(await top.status(`${source}.1`)).toBe('completed');
    now += 1000;
    const twin = await replay(top, source);
    await answer(top, `${twin}.1`, 'first', { action: 'accept', comment: 'I see it otherwise.' });
    expect(await top.status(`${twin}.1`)).toBe('waiting-approval');
    const again = await top.crash();
    await answer(again, twin, 'wait');
    expect(await again.status(twin)).toBe('completed');
    expect(await again.status(`${twin}.1`)).toBe('waiting-approval');
    expect(await again.types(`${twin}.1`)).not.toContain('replay.diverged');
  });
});

describe('a replay that is cancelled before it is done', () => {
  it('ends there, and does not say that it came out otherwise', async () => {
    const answers = modelCalls({ provider: () => createMockModel() });
    const top: Bench = await startTestEngine({
      perform: (given, context) =>
        top.performed.length > 1 ? new Promise<never>(() => undefined) : answers(given, context),
    });
    const outputSchema = { type: 'object' };
    const more = ['a', 'b', 'c', 'd'].map((id) => node(id, 'core.noop'));
    const messages = { type: 'static', value: [{ role: 'user', content: 'So?' }] };
    const model = { provider: 'mock', model: 'mock-mini', outputSchema };
    await top.register(
      line('parent', [child('call', 'asks'), ...more]),
      line('asks', [node('ask', 'core.ai.structuredOutput', model, { inputs: { messages } }), ...more]),
    );
    const source = await start(top, 'parent');
    expect(await top.status(source)).toBe('completed');
    const twin = await replay(top, source);
    expect(await top.status(twin)).toBe('running');
    await cancel(top, twin);
    for (const runId of await treeOf(top, twin)) {
      expect((await top.types(runId)).at(-1)).toBe('run.cancelled');
      expect(await top.types(runId)).not.toContain('replay.diverged');
    }
  });
});
