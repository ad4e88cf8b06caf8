import type { Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import {
  type SimulationOptions,
  START_TIME,
  simulate,
} from '../../../../conformance/src/testkit/simulation.ts';
import {
  edge,
  inOrder,
  look,
  node,
  remember,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

type Nodes = Parameters<typeof workflow>[1];

const line = (nodes: Nodes, options: SimulationOptions = {}) =>
  simulate([workflow('notes', nodes, { edges: inOrder(nodes) })], options);
const found = (run: ReturnType<typeof simulate>) => run.run().variables.found as Record<string, Json>[];
const error = (run: ReturnType<typeof simulate>) => {
  const { phase } = run.run();
  return phase.kind === 'ended' ? phase.error : undefined;
};

describe('a run that remembers', () => {
  it('READ-28 reads back what it wrote, in the shape of an entry', () => {
    const run = line([remember('w', { key: 'sky', content: 'blue', tags: ['fact'] }), look('r')]);
    expect(found(run)).toEqual([
      { id: 'sky', content: 'blue', tags: ['fact'], createdAt: '2026-01-01T00:00:00.000Z' },
    ]);
    expect(run.run().nodes.w).toMatchObject({ outputs: { memoryId: 'sky', version: 1 } });
    expect(run.run().nodes.r).toMatchObject({ outputs: { entries: found(run) } });
  });

  it.each([
    ['the key', { key: 'b' }, ['b']],
    ['a tag', { tag: 'x' }, ['c', 'a']],
    ['words', { search: 'second' }, ['b']],
    ['a limit', { limit: 2 }, ['c', 'b']],
    ['nothing', {}, ['c', 'b', 'a']],
    ['a key that is not there', { key: 'z' }, []],
  ])('finds by %s, newest first', (_how, config, expected) => {
    const run = line([
      remember('w1', { key: 'a', content: 'the first one', tags: ['x'] }),
      remember('w2', { key: 'b', content: 'the second one', tags: ['y'] }),
      remember('w3', { key: 'c', content: 'the third one', tags: ['y', 'x'] }),
      look('r', config),
    ]);
    expect(found(run).map(({ id }) => id)).toEqual(expected);
  });

  it('keeps the latest of several writes under one key', () => {
    const run = line([
      remember('w1', { key: 'a', content: 'old' }),
      remember('w2', { key: 'a', content: 'new' }),
      look('r'),
    ]);
    expect(found(run)).toMatchObject([{ content: 'new' }]);
  });

  it('forgets, and may forget what was never there', () => {
    const run = line([
      remember('w', { key: 'a', content: 'x' }),
      node('f', 'vendor.baton.memory.forget', { key: 'a' }),
      node('g', 'vendor.baton.memory.forget', { key: 'never' }),
      look('r'),
    ]);
    expect(found(run)).toEqual([]);
    expect(run.of('baton.memory.forgotten')).toHaveLength(2);
  });

  it('takes what its ports say before its config, and keeps JSON as text', () => {
    const write = remember(
      'w',
      { key: 'config', content: 'config', ttlSeconds: 5 },
      {
        inputs: {
          key: { type: 'variable', variableName: 'name' },
          content: { type: 'static', value: { a: [1, null] } },
          tags: { type: 'variable', variableName: 'nobody-set-it' },
        },
      },
    );
    const run = line([write, look('r')], { inputs: { name: 'input' } });
    expect(found(run)).toMatchObject([{ id: 'input', content: '{"a":[1,null]}', tags: [] }]);
  });

  it('derives an id from the event of the write, when there is no key', () => {
    const run = line([remember('w', { content: 'x' }), look('r')]);
    const written = run.of('memory.written')[0]!;
    expect(found(run)).toMatchObject([{ id: written.eventId }]);
    expect(written.payload).toMatchObject({ memoryId: written.eventId });
  });

  it('MEM-18 tells of a write without its content: what was written, by whom, and where', () => {
    const agent = { agentId: 'acme.writer' };
    const config = { key: 'k', content: 'a canary in a coal mine', tags: ['t'], ttlSeconds: 60 };
    const run = line([remember('w', config, { agent })]);
    const written = run.of('memory.written')[0]!;
    expect(written.payload).toEqual({
      memoryRef: 'run:root',
      memoryId: 'k',
      nodeId: 'w',
      agentId: 'acme.writer',
      tags: ['t'],
      version: 1,
      expiresAt: '2026-01-01T00:01:00.000Z',
    });
    expect(JSON.stringify(run.events())).not.toContain('canary');
    expect(run.memory()).toMatchObject([
      { content: config.content, by: { runId: 'root', nodeId: 'w', agentId: 'acme.writer' } },
    ]);
  });

  it.each([
    ['before', 59_999, ['k']],
    ['at', 60_000, []],
    ['after', 60_001, []],
  ])('MEM-06 %s its time to live, listed and by key', (_when, ms, expected) => {
    const run = line([
      remember('w', { key: 'k', content: 'x', ttlSeconds: 60 }),
      node('wait', 'core.delay', { delayMs: ms }),
      look('list'),
      look('get', { key: 'k', into: 'got' }),
    ]);
    run.tick(ms);
    expect(found(run).map(({ id }) => id)).toEqual(expected);
    expect(run.run().variables.got).toHaveLength(expected.length);
  });

  it('lets a later write take away an expiry', () => {
    const run = line([
      remember('w', { key: 'k', content: 'x', ttlSeconds: 1 }),
      remember('v', { key: 'k', content: 'y' }),
      node('wait', 'core.delay', { delayMs: 5000 }),
      look('r'),
    ]);
    run.tick(5000);
    expect(found(run)).toMatchObject([{ content: 'y' }]);
    expect(run.now()).toBe(START_TIME + 5000);
  });

  it('MEM-15 has no memory events when it has no memory', () => {
    const run = line([node('a', 'core.noop'), node('b', 'core.noop')]);
    expect(run.types()).toEqual([
      'run.started',
      'node.started',
      'node.completed',
      'node.started',
      'node.completed',
      'run.completed',
    ]);
    expect(JSON.stringify(run.events())).not.toContain('emory');
  });

  it('loses what it wrote together with the event that would not fit', () => {
    const run = line(
      [remember('w', { key: 'k', content: 'x' }), node('big', 'core.identity', {}, hugePort())],
      { limits: { eventBytes: 50_000 } },
    );
    expect(error(run)?.code).toBe('event_too_large');
    expect(run.memory()).toMatchObject([{ id: 'k' }]);
    const tags = Array.from({ length: 32 }, (_, at) => `${at}`.padStart(250, '0'));
    const inOne = line([remember('w', { key: 'k', content: 'x', tags })], { limits: { eventBytes: 5000 } });
    expect(error(inOne)?.code).toBe('event_too_large');
    expect(inOne.run().memory.version).toBe(0);
    expect(inOne.memory()).toEqual([]);
  });
});

function hugePort() {
  return { inputs: { text: { type: 'static', value: 'x'.repeat(60_000) } } };
}

describe('limits', () => {
  const port = (value: Json) => ({ type: 'static', value });
  it.each<[string, string, Record<string, Json>, string, string]>([
    [
      'content of 256 KB and a byte',
      'write',
      { content: 'x'.repeat(262_145) },
      'memory_too_large',
      'content',
    ],
    ['content too large in bytes', 'write', { content: 'é'.repeat(131_073) }, 'memory_too_large', 'content'],
    ['no content', 'write', { key: 'k' }, 'memory_invalid', 'content'],
    ['a long key', 'write', { content: 'x', key: 'k'.repeat(513) }, 'memory_invalid', 'key'],
    ['a key that is no text', 'write', { content: 'x', key: 7 }, 'memory_invalid', 'key'],
    ['33 tags', 'write', { content: 'x', tags: Array<string>(33).fill('t') }, 'memory_invalid', 'tags'],
    ['a long tag', 'write', { content: 'x', tags: ['t'.repeat(257)] }, 'memory_invalid', 'tags.0'],
    ['a time to live of nothing', 'write', { content: 'x', ttlSeconds: 0 }, 'memory_invalid', 'ttlSeconds'],
    ['a limit of 1001', 'read', { limit: 1001 }, 'memory_invalid', 'limit'],
    ['no key to forget', 'forget', {}, 'memory_invalid', 'key'],
  ])('refuses %s with words that help', (_title, kind, values, code, field) => {
    const inputs = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, port(value)]));
    const run = line([node('n', `vendor.baton.memory.${kind}`, {}, { inputs })], {
      limits: { eventBytes: 10_000_000 },
    });
    expect(error(run)).toMatchObject({ code, details: { field } });
    expect(error(run)?.message).toContain('"n"');
    expect(run.memory()).toEqual([]);
  });

  it('takes content of exactly 256 KB, and drops tags that say nothing', () => {
    const content = 'x'.repeat(262_144);
    const run = line([remember('w', { content, tags: ['a', '', 'a'] })]);
    expect(run.memory()).toMatchObject([{ content, tags: ['a'] }]);
  });

  it('refuses at registration what the config alone gets wrong', () => {
    const wrong = (config: Record<string, Json>) => () => line([remember('w', config)]);
    expect(wrong({ key: '' })).toThrow(/nodes\.0\.config\.key/);
    expect(wrong({ keys: 'k' })).toThrow(/keys/);
  });
});

describe('parallel branches of one run', () => {
  /** Two branches that write and read, and a join that looks at everything. */
  const nodes = [
    node('start', 'core.noop'),
    remember('a1', { key: 'shared', content: 'from a' }),
    look('a2', { into: 'a' }),
    remember('b1', { key: 'shared', content: 'from b' }),
    look('b2', { into: 'b' }),
    look('end', { into: 'both' }),
  ];
  const edges = ['a', 'b'].flatMap((branch) => [
    edge('start', `${branch}1`),
    edge(`${branch}1`, `${branch}2`),
    edge(`${branch}2`, 'end'),
  ]);

  it('MEM-07 comes to the same, event by event, wherever slices end and whatever was known', () => {
    const trial = (options: SimulationOptions) => simulate([workflow('branches', nodes, { edges })], options);
    const expected = trial({}).events();
    for (const sliceEvents of [1, 2, 3, 4, 5, 7, 11]) {
      for (const forgetful of [false, true]) {
        expect(trial({ sliceEvents, forgetful }).events()).toEqual(expected);
      }
    }
  });
});
