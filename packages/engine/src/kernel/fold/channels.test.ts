import { describe, expect, it } from 'vitest';
import { simulate } from '../../../../conformance/src/testkit/simulation.ts';
import { edge, node, workflow } from '../../../../conformance/src/testkit/workflows.ts';
import { reduceChannel } from './channels.ts';

describe('channel reducers', () => {
  it.each([
    ['replace', 1, 2, 2],
    ['append', undefined, 'a', [{ value: 'a', _ts: 7 }]],
    ['merge', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    ['counter', 2, 3, 5],
    ['counter', undefined, 'x', 1],
    ['votes', { a: 'yes' }, { voter: 'b', vote: 'no' }, { a: 'yes', b: 'no' }],
    [
      'vendor.baton.message',
      [{ messageId: '1' }],
      { messageId: '2' },
      [{ messageId: '1' }, { messageId: '2' }],
    ],
  ])('%s: %j and then %j gives %j', (reducer, current, value, result) => {
    expect(reduceChannel(reducer, current, value, 7)).toEqual(result);
  });
});

describe('writing to a channel', () => {
  const write = (id: string, value: string, more = {}) =>
    node(id, 'core.channelWrite', { channelName: 'log', reducer: 'append', value, ...more });

  it('drops entries that have outlived their time when the next one is written', () => {
    const run = simulate([
      workflow(
        'w',
        [
          write('a', 'a', { ttlMs: 200 }),
          node('wait', 'core.delay', { ms: 300 }),
          write('b', 'b', { ttlMs: 200 }),
        ],
        {
          edges: [edge('a', 'wait'), edge('wait', 'b')],
        },
      ),
    ]);
    run.tick(300);
    expect(run.run().variables.log).toEqual([{ value: 'b', _ts: run.now() }]);
  });

  it('keeps no more than the declared number of entries', () => {
    const run = simulate([
      workflow('w', [write('a', 'a'), write('b', 'b'), write('c', 'c')], {
        edges: [edge('a', 'b'), edge('b', 'c')],
        channels: { log: { reducer: 'append', maxSize: 2 } },
      }),
    ]);
    expect(run.run().channels.log).toMatchObject([{ value: 'b' }, { value: 'c' }]);
  });

  it('holds a message once, however often it is written', () => {
    const run = simulate([
      workflow('w', [node('n', 'core.identity', { emitDuplicateMessageId: true })], {
        channels: { messages: { reducer: 'message' } },
      }),
    ]);
    expect(run.run().channels.messages).toHaveLength(1);
    expect(run.of('channel.written')).toHaveLength(1);
  });
});
