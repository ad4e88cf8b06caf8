import type { Client } from '@a2a-js/sdk/client';
import type { Peer, RemoteCancel } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { messageIdOf } from './messages.ts';
import { PeerFault } from './peer-fault.ts';
import { remoteCancels } from './remote-cancels.ts';

const DOWN = new PeerFault('peer_unreachable', { retryable: true });

function cancel(runId: string, more: Partial<RemoteCancel> = {}): RemoteCancel {
  return { runId, peer: 'b', task: `task of ${runId}`, namedBy: 'id', at: 0, ...more };
}

/** Lets everything happen that waits for nothing but other promises. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Peers that answer with these faults, one after the other, and then well. The peer `gone` is not registered. */
function telling(
  rows: readonly RemoteCancel[],
  faults: Readonly<Record<string, (PeerFault | undefined)[]>> = {},
) {
  const stored = new Map(rows.map((row) => [row.runId, row]));
  const asked: string[] = [];
  const warned: unknown[] = [];
  const timers: { ms: number; run: () => void }[] = [];
  const cancels = remoteCancels({
    reads: {
      peer: async (name) => (name === 'gone' ? undefined : ({ name } as Peer)),
      remoteCancel: async (runId) => stored.get(runId),
      remoteCancels: async (after = '') => [...stored.values()].filter(({ runId }) => runId > after),
    },
    connections: {
      to: async ({ name }) => ({
        client: {
          cancelTask: async ({ id }: { id: string }) => {
            asked.push(`${name} ${id}`);
            const fault = faults[name]?.shift();
            if (fault) throw fault;
          },
        } as unknown as Client,
      }),
    },
    settle: async ({ runId }) => stored.delete(runId),
    later: (ms, run) => {
      const timer = { ms, run };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
    log: {
      warn: (fields: { code: string }) => warned.push(fields.code),
      error: (fields: object) => warned.push(fields),
    } as never,
  });
  async function pass(): Promise<number | undefined> {
    const timer = timers.shift();
    timer?.run();
    await settled();
    return timer?.ms;
  }
  return { cancels, stored, asked, warned, timers, pass };
}

it('tells all stored cancels at its start, by the id of the task or by the id of the message', async () => {
  const { cancels, stored, asked, warned } = telling([
    cancel('r1'),
    cancel('r2', { task: 'r2/remote/1/1/2', namedBy: 'key' }),
    cancel('r3', { peer: 'c' }),
  ]);
  await cancels.start();
  await settled();
  expect(asked.toSorted()).toEqual(
    ['b task of r1', `b ${messageIdOf('r2/remote/1/1/2')}`, 'c task of r3'].toSorted(),
  );
  expect([stored.size, warned]).toEqual([0, []]);
});

it('asks a peer that is down about one cancel only, after longer and longer pauses', async () => {
  const { cancels, stored, asked, timers, pass } = telling(
    [cancel('r1'), cancel('r2'), cancel('r3', { peer: 'c' })],
    {
      b: Array.from({ length: 12 }, () => DOWN),
    },
  );
  await cancels.start();
  await settled();
  expect([asked, [...stored.keys()]]).toEqual([
    ['b task of r1', 'c task of r3'],
    ['r1', 'r2'],
  ]);
  const pauses: unknown[] = [];
  while (timers.length > 0) pauses.push(await pass());
  expect(pauses.slice(0, 3)).toEqual([500, 1000, 2000]);
  expect(pauses.at(-1)).toBe(300_000);
  expect([asked.at(-2), asked.at(-1), stored.size]).toEqual(['b task of r1', 'b task of r2', 0]);
});

it('tells a new cancel at once, also when the peer was down', async () => {
  const { cancels, stored, asked, timers } = telling([cancel('r1')], { b: [DOWN] });
  await cancels.start();
  await settled();
  expect(timers).toHaveLength(1);
  stored.set('r2', cancel('r2'));
  cancels.hear({ kind: 'remote-cancel', runId: 'r2' });
  await settled();
  expect([asked, stored.size, timers]).toEqual([['b task of r1', 'b task of r1', 'b task of r2'], 0, []]);
});

it('waits for the answer to a message that is on its way', async () => {
  const { cancels, stored, asked } = telling([cancel('r1'), cancel('r2')]);
  let answer: (fault: PeerFault) => void = () => undefined;
  const answered = new Promise<void>((_resolve, reject) => {
    answer = reject;
  });
  cancels.sending('r1', answered);
  await cancels.start();
  await settled();
  expect([asked, [...stored.keys()]]).toEqual([['b task of r2'], ['r1']]);
  answer(DOWN);
  await settled();
  expect([asked.at(-1), stored.size]).toEqual(['b task of r1', 0]);
});

it('gives up what no peer will take, and warns unless the work has ended', async () => {
  const { cancels, stored, warned } = telling(
    [cancel('r1'), cancel('r2'), cancel('r3'), cancel('r4', { peer: 'gone' })],
    {
      b: [
        new PeerFault('peer_rejected', { refused: true }),
        new PeerFault('remote_run_lost', {}),
        new PeerFault('peer_unauthorized', { refused: true }),
      ],
    },
  );
  await cancels.start();
  await settled();
  expect([stored.size, warned.toSorted()]).toEqual([0, ['peer_unauthorized', 'peer_unknown']]);
});

it('reads all cancels again when it may have missed some, and tells nothing after it was stopped', async () => {
  const { cancels, stored, asked, timers } = telling([], { b: [DOWN] });
  stored.set('r1', cancel('r1'));
  cancels.hear({ kind: 'missed' });
  await settled();
  expect([asked, timers.length]).toEqual([['b task of r1'], 1]);
  await cancels.stop();
  cancels.hear({ kind: 'missed' });
  await settled();
  expect([asked, timers, stored.size]).toEqual([['b task of r1'], [], 1]);
});
