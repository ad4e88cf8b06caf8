import { foldTexts, type StateAt, stateAt } from '@baton/engine';
import type { Json, RunEvent } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edge, node, workflow } from '../../packages/engine/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { type Bench, CALLER, handClock, settled, startTestEngine } from './test-engine.ts';

/** Any workflow, any index: what it was then can be seen again, and done again. */

type Config = Record<string, unknown>;
type Act =
  | { readonly do: 'write' | 'forget'; readonly key: string; readonly content: string; readonly ttl?: number }
  | { readonly do: 'read'; readonly key?: string }
  | { readonly do: 'set'; readonly value: number }
  | { readonly do: 'big' | 'wait' | 'effect' | 'ask' }
  | { readonly do: 'child'; readonly which: 0 | 1; readonly gated: boolean; readonly isolated: boolean };

const KEYS = ['alpha', 'beta', 'gamma'] as const;

const plainAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    do: fc.constant('write' as const),
    key: fc.constantFrom(...KEYS),
    content: fc.string({ maxLength: 12 }),
    ttl: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }) as fc.Arbitrary<never>,
  }),
  fc.record({ do: fc.constant('forget' as const), key: fc.constantFrom(...KEYS), content: fc.constant('') }),
  fc.record({
    do: fc.constant('read' as const),
    key: fc.option(fc.constantFrom(...KEYS), { nil: undefined }) as fc.Arbitrary<never>,
  }),
  fc.record({ do: fc.constant('set' as const), value: fc.integer({ min: 0, max: 9 }) }),
  fc.constantFrom<Act>({ do: 'big' }, { do: 'wait' }, { do: 'effect' }, { do: 'ask' }),
);
const childAct: fc.Arbitrary<Act> = fc.record({
  do: fc.constant('child' as const),
  which: fc.constantFrom(0 as const, 1 as const),
  gated: fc.boolean(),
  isolated: fc.boolean(),
});
const anyAct = fc.oneof({ weight: 3, arbitrary: plainAct }, { weight: 1, arbitrary: childAct });

const program = fc.record({
  root: fc.array(anyAct, { minLength: 2, maxLength: 7 }),
  /** Some nodes stand beside each other, not behind each other. */
  parallel: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
  children: fc.tuple(
    fc.array(plainAct, { minLength: 1, maxLength: 4 }),
    fc.array(plainAct, { minLength: 1, maxLength: 4 }),
  ),
  shared: fc.boolean(),
  moves: fc.array(fc.nat({ max: 1000 }), { minLength: 40, maxLength: 40 }),
});

function nodeOf(act: Act, id: string): Config {
  switch (act.do) {
    case 'write': {
      const { key, content, ttl } = act;
      return node(id, 'vendor.baton.memory.write', { key, content, ...(ttl && { ttlSeconds: ttl }) });
    }
    case 'forget':
      return node(id, 'vendor.baton.memory.forget', { key: act.key });
    case 'read':
      return node(id, 'vendor.baton.memory.read', { ...(act.key && { key: act.key }), into: `saw_${id}` });
    case 'set':
      return node(id, 'vendor.baton.set', { assign: { number: `${act.value}` } });
    case 'big':
      return node(
        id,
        'core.identity',
        {},
        { inputs: { payload: { type: 'static', value: 'x'.repeat(66_000) } } },
      );
    case 'wait':
      return node(id, 'core.delay', { ms: 1500 });
    case 'effect':
      return node(
        id,
        'core.conformance.side-effect',
        {},
        { settings: { retry: { maxRetries: 1, backoffMs: 500 } } },
      );
    case 'ask':
      return node(id, 'core.approvalGate', { title: 'Go on?', actions: ['accept', 'reject'] });
    case 'child':
      return node(
        id,
        'core.subWorkflow',
        {
          workflowId: `child${act.which}`,
          onChildFailure: 'absorb',
          outputMapping: { [`from_${id}`]: 'number' },
          ...(act.isolated && { memoryScopeIsolation: 'isolated' }),
        },
        act.gated ? { settings: { outputAttestation: { checksum: true, requireApproval: true } } } : {},
      );
  }
}

function definitionOf(id: string, acts: readonly Act[], parallel: readonly boolean[]): Config {
  const nodes = acts.map((act, at) => nodeOf(act, `n${at}`));
  const edges: Config[] = [];
  let before: string[] = [];
  let level: string[] = [];
  for (const [at] of acts.entries()) {
    const beside = parallel[at] === true && level.length > 0;
    if (!beside) {
      before = level;
      level = [];
    }
    for (const from of before) edges.push(edge(from, `n${at}`, { triggerRule: 'all_done' }));
    level.push(`n${at}`);
  }
  return workflow(id, nodes, { edges: edges.map(({ triggerRule: _rule, ...rest }) => rest) });
}

type Program = typeof program extends fc.Arbitrary<infer T> ? T : never;

interface Story {
  readonly top: Bench;
  readonly roots: readonly string[];
  /** Every state as it was when a run was there, by run and index. */
  readonly seen: ReadonlyMap<string, StateAt>;
}

/** Lives through the program: people answer, time passes and effects come back, in an order of its own. */
async function live({ root, parallel, children, shared, moves }: Program): Promise<Story> {
  const time = handClock();
  const held: (() => void)[] = [];
  let calls = 0;
  const seen = new Map<string, StateAt>();
  const top = await startTestEngine({
    clock: time.clock,
    perform: async () => {
      calls += 1;
      const mine = calls;
      await new Promise<void>((resolve) => held.push(resolve));
      return mine % 5 === 0
        ? { kind: 'failed', error: { code: 'outside_broke', message: 'as told' } }
        : { kind: 'done', outputs: { answer: mine } };
    },
  });
  const look = async () => {
    for (const { runId, head } of (await top.reads.runs({ tenant: CALLER.tenant, limit: 100 })).items) {
      const state = await stateAt(top.reads, { tenant: CALLER.tenant, runId }, head);
      if (state) seen.set(`${runId}@${head}`, state);
    }
  };
  await top.register(
    await definitionOf('root', root, parallel),
    await definitionOf('child0', children[0], []),
    await definitionOf('child1', children[1], [false, true]),
  );
  const roots: string[] = [];
  for (let at = 0; at < (shared ? 2 : 1); at += 1) {
    const body = { workflowId: 'root', ...(shared && { scopeId: 'desk' }) };
    const reply = await top.execute({ kind: 'create-run', caller: CALLER, body });
    if (!reply.ok || reply.value.kind !== 'run') throw new Error(JSON.stringify(reply));
    roots.push(reply.value.runId);
    await settled();
    await look();
  }
  for (const move of moves) {
    const open = (await top.reads.interrupts(CALLER.tenant, 20)).items;
    const choices = [...open.map(() => 'answer'), ...held.map(() => 'effect'), 'time'];
    const choice = choices[move % choices.length];
    const one = open[move % Math.max(open.length, 1)];
    if (choice === 'answer' && one) {
      const resumeValue: Json = { action: move % 4 === 0 ? 'reject' : 'accept' };
      const { runId, nodeId } = one;
      const target = { nodeId };
      await top.execute({
        kind: 'resolve-interrupt',
        caller: CALLER,
        runId,
        target,
        resumeValue,
        viaToken: false,
        scopes: [],
      });
    } else if (choice === 'effect') held.shift()?.();
    else await time.move(500);
    await settled();
    await look();
  }
  expect(top.fatal).toEqual([]);
  expect(top.logged).toEqual([]);
  return { top, roots, seen };
}

const inTree = async (top: Bench, rootId: string) =>
  (await top.reads.runs({ tenant: CALLER.tenant, limit: 100 })).items.filter((row) => row.rootId === rootId);

async function replay(top: Bench, runId: string, fromSeq: number): Promise<string> {
  const body = { mode: 'replay' as const, fromSeq };
  const reply = await top.execute({ kind: 'fork-run', caller: CALLER, runId, body });
  await settled();
  if (!reply.ok || reply.value.kind !== 'fork') throw new Error(JSON.stringify(reply));
  return reply.value.runId;
}

const RUNS = Number(process.env.BATON_REWIND_RUNS ?? 12);

describe('any run', () => {
  it('is at every index what it was then, and a replay from there does the same again', {
    timeout: 300_000,
  }, async () => {
    verifies('MEM-10', 'REPLAY-08');
    await fc.assert(
      fc.asyncProperty(program, async (given) => {
        const { top, roots, seen } = await live(given);
        for (const [place, then] of seen) {
          const [runId = '', at = ''] = place.split('@');
          expect(await stateAt(top.reads, { tenant: CALLER.tenant, runId }, Number(at))).toEqual(then);
        }
        for (const rootId of roots) {
          const runs = await inTree(top, rootId);
          for (const { runId, head } of runs) {
            const texts = await top.reads.events(CALLER.tenant, runId, 0, 10_000);
            for (let at = 1; at <= head; at += 1) {
              const { variables, channels } = foldTexts(undefined, texts.slice(0, at));
              expect(await stateAt(top.reads, { tenant: CALLER.tenant, runId }, at)).toMatchObject({
                variables,
                channels,
              });
            }
          }
          const head = runs.find((row) => row.runId === rootId)?.head ?? 0;
          for (let at = 0; at <= head; at += Math.max(1, Math.floor(head / 6))) {
            const fork = await replay(top, rootId, at);
            for (const { runId } of runs) await expectSame(top, rootId, runId, fork);
          }
        }
        expect(top.fatal).toEqual([]);
        expect(top.logged).toEqual([]);
      }),
      { numRuns: RUNS, seed: Number(process.env.BATON_REWIND_SEED ?? 20_260_101) },
    );
  });
});

/** The forked run's log, under the source's names, is the source's log. Children settled before the cut are shared. */
async function expectSame(top: Bench, rootId: string, runId: string, fork: string): Promise<void> {
  const twin = fork + runId.slice(rootId.length);
  if ((await top.reads.run(CALLER.tenant, twin)) === undefined) return;
  const named = (await top.events(twin)).map((event) => JSON.stringify(event).replaceAll(fork, rootId));
  const original: readonly RunEvent[] = await top.events(runId);
  expect(named).toEqual(original.map((event) => JSON.stringify(event)));
}
