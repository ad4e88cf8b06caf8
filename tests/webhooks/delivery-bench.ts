import type { Backlogs, WebhookRecord, WebhookWrite } from '@baton/engine/ports';
import { expect, onTestFinished } from 'vitest';
import { deliverer } from '../../packages/server/dist/webhooks/deliverer.js';
import { type Bench, CALLER, handClock, settled, startTestEngine } from '../driver/test-engine.ts';

/** The real deliverer over the real engine and store, with a clock and receivers that the test controls. */

export interface Sent {
  readonly url: string;
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  readonly body: any;
  readonly text: string;
}

/** As many runs may wait for one webhook. */
export const MOST_WAITING = 15;

/** The status with which a receiver answers, or `hang` for a receiver that never answers. */
type Receiver = (sent: Sent) => number | 'hang' | Response;

export interface DeliveryBench extends Omit<Bench, 'told' | 'crash'> {
  readonly sent: Sent[];
  receiver: Receiver;
  /** The principals without a valid key. */
  readonly revoked: Set<string>;
  /** What was sent, as `<run>:<sequence>`, and the name of a run as the test has given it. */
  told(): string[];
  name(runId: string, name: string): string;
  webhook(id: string, more?: Record<string, unknown>): Promise<void>;
  state(id: string, tenant?: string): Promise<{ readonly state?: string; readonly reason?: string }>;
  deadLetters(id: string): Promise<readonly string[]>;
  write(write: Record<string, unknown>): Promise<unknown>;
  move(ms: number): Promise<void>;
  quiet(): Promise<void>;
  /** The process dies, and another one begins on the same folder. */
  crashed(more?: { readonly receiver?: Receiver }): Promise<DeliveryBench>;
}

type Clock = ReturnType<typeof handClock>;

export async function startDeliveryBench(clock: Clock = handClock()): Promise<DeliveryBench> {
  return over(await startTestEngine({ clock: clock.clock }), clock, () => 204, new Map());
}

async function over(
  bench: Bench,
  clock: Clock,
  receiver: Receiver,
  names: Map<string, string>,
): Promise<DeliveryBench> {
  const sent: Sent[] = [];
  let isAlive = true;
  const { now, at } = clock.clock;
  const write = async (change: unknown) => {
    if (!isAlive) return new Promise<never>(() => undefined);
    const reply = await bench.execute({ kind: 'write-webhooks', write: change } as never);
    if (!reply.ok) throw new Error(reply.error.message);
    return reply.value as never;
  };
  const fetch = (url: string | URL, init: RequestInit = {}) =>
    new Promise<Response>((resolve, reject) => {
      const text = String(init.body);
      const headers = init.headers as Record<string, string>;
      const one = { url: String(url), at: now(), headers, text, body: JSON.parse(text) };
      sent.push(one);
      const answer = self.receiver(one);
      if (answer instanceof Response) resolve(answer);
      else if (answer !== 'hang') resolve(new Response(null, { status: answer }));
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  const delivery = deliverer({
    ...{ fetch, now, random: () => 0.5, mostWaiting: MOST_WAITING },
    reads: bench.reads,
    mayRead: async ({ principal }: WebhookRecord) => !self.revoked.has(principal),
    feed: { changes: bench.store.changes, onNotices: bench.engine.onNotices },
    write: async (change: WebhookWrite) => ((await write(change)) as { backlogs: Backlogs }).backlogs,
    open: async ({ keys }: WebhookRecord) => JSON.parse(keys),
    after: (ms: number, run: () => void) => at(now() + ms, () => isAlive && run()),
    log: { warn: () => undefined, error: (problem: unknown) => void bench.fatal.push(problem) },
  } as never);
  const self: DeliveryBench = {
    ...bench,
    sent,
    receiver,
    revoked: new Set(),
    told: () => sent.map(({ body }) => `${names.get(body.runId) ?? body.runId}:${body.event.sequence}`),
    name(runId, name) {
      names.set(runId, name);
      return runId;
    },
    write,
    async webhook(webhookId, more = {}) {
      const webhook = {
        ...{ webhookId, tenant: CALLER.tenant, principal: 'ana', url: `https://${webhookId}.example.com/` },
        ...{ events: ['*'], workflows: [], tags: [], fingerprint: 'f', createdAt: now() },
        keys: JSON.stringify([{ secret: 'ab'.repeat(32) }]),
        ...more,
      };
      await write({ do: 'put', webhook });
      await self.quiet();
    },
    state: async (id, tenant = CALLER.tenant) => (await bench.reads.webhook(tenant, id)) ?? {},
    async deadLetters(webhookId) {
      const { items } = await bench.reads.deliveries({ tenant: CALLER.tenant, webhookId, dead: true }, 100);
      return items.map(({ runId, next }) => `${names.get(runId) ?? runId}:${next}`);
    },
    async move(ms) {
      await clock.move(ms);
      await self.quiet();
    },
    async quiet() {
      for (let calm = 0; calm < 6; ) {
        const before = sent.length;
        await new Promise((resolve) => setImmediate(resolve));
        await settled();
        calm = sent.length === before ? calm + 1 : 0;
      }
    },
    async crashed(more = {}) {
      isAlive = false;
      const next = await bench.crash({ clock: clock.clock });
      return over(next, clock, more.receiver ?? self.receiver, names);
    },
  };
  await delivery.start();
  onTestFinished(async () => {
    if (isAlive) await delivery.stop();
    expect(bench.fatal).toEqual([]);
  });
  return self;
}
