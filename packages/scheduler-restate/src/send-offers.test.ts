import type { Effect } from '@baton/engine/ports';
import { describe, expect, it } from 'vitest';
import { offerSender } from './send-offers.ts';

interface Sent {
  readonly url: string;
  readonly headers: unknown;
  readonly body: unknown;
}

const NOW = 1_000_000;

function sending(answer: () => Promise<Response> = async () => new Response('{}', { status: 202 })) {
  const sent: Sent[] = [];
  const states: boolean[] = [];
  let unknown = 0;
  const sender = offerSender({
    url: 'http://restate:8080',
    fetch: (url, init) => {
      sent.push({ url: String(url), headers: init?.headers, body: init?.body });
      return answer();
    },
    now: () => NOW,
    onState: (takes) => void states.push(takes),
    onUnknown: () => {
      unknown += 1;
    },
  });
  return { sender, sent, states, unknown: () => unknown };
}

const turns = () => new Promise((resolve) => setImmediate(resolve));

const EFFECT: Effect = {
  key: 'run.1/ask me/1/1/1',
  kind: 'model.call',
  tries: 2,
  tenant: 'acme',
  runId: 'run.1',
  nodeId: 'ask me',
  ...{ execution: 1, attempt: 1, step: 1 },
  request: { prompt: 'the password is hunter2', apiKey: 'sk-secret' },
  trace: '00-trace',
};

describe('an offer', () => {
  it('is an invocation of the object of its key, in the service of its pool', () => {
    const { sender, sent } = sending();
    sender.send(EFFECT, 0, 7);
    expect(sent).toMatchObject([
      { url: 'http://restate:8080/baton-model/run.1%2Fask%20me%2F1%2F1%2F1/perform/send' },
    ]);
  });

  it('tells Restate the key, the kind and the number of the try, and nothing else', () => {
    const { sender, sent } = sending();
    sender.send(EFFECT, 0, 7);
    expect(sent.map(({ headers, body }) => [headers, body])).toEqual([
      [
        { 'content-type': 'application/json', 'idempotency-key': 'run.1/ask me/1/1/1:2:7' },
        JSON.stringify({ try: 2 }),
      ],
    ]);
    expect(JSON.stringify(sent)).not.toMatch(/hunter2|sk-secret|acme|trace/);
  });

  it('of a later try waits in Restate', () => {
    const { sender, sent } = sending();
    sender.send(EFFECT, NOW + 1500, 7);
    sender.send(EFFECT, NOW, 7);
    expect(sent[0]?.url).toMatch(/\/send\?delay=1500ms$/);
    expect(sent[1]?.url).toMatch(/\/send$/);
  });

  it('of a deadline is an invocation at its time, of the object of the tree', () => {
    const { sender, sent } = sending();
    sender.sendAlarm({ rootId: 'run.1', at: NOW + 9000 });
    expect(sent).toEqual([
      {
        url: 'http://restate:8080/baton-alarm/run.1/ring/send?delay=9000ms',
        headers: { 'content-type': 'application/json', 'idempotency-key': `run.1:${NOW + 9000}` },
        body: JSON.stringify({ at: NOW + 9000 }),
      },
    ]);
  });

  it('of a kind that is not handed out is not sent', () => {
    const { sender, sent } = sending();
    sender.send({ ...EFFECT, kind: 'conformance.side-effect' }, 0, 7);
    expect(sent).toEqual([]);
  });

  it('that Restate does not take is no error, and is told once', async () => {
    let isThere = false;
    const { sender, states } = sending(async () => {
      if (isThere) return new Response('{}', { status: 202 });
      throw new Error('ECONNREFUSED');
    });
    for (let at = 0; at < 3; at += 1) sender.send(EFFECT, 0, at);
    await turns();
    expect([states, sender.lost()]).toEqual([[false], 3]);
    isThere = true;
    sender.send(EFFECT, 0, 4);
    await turns();
    expect(states).toEqual([false, true]);
  });

  it('to a Restate that does not know the pool asks for a registration', async () => {
    const { sender, unknown } = sending(async () => new Response('{}', { status: 404 }));
    sender.send(EFFECT, 0, 7);
    await turns();
    expect([unknown(), sender.lost()]).toEqual([1, 1]);
  });

  it('does not wait for a Restate that has stopped answering', () => {
    const { sender, sent } = sending(() => new Promise(() => undefined));
    for (let at = 0; at < 2500; at += 1) sender.send(EFFECT, 0, at);
    expect([sent.length, sender.lost()]).toEqual([2000, 500]);
  });
});
