import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EndedSpan } from '@baton/engine';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MAX_WAITING_SPANS, openSpanExport } from './span-export.ts';

/** A collector that takes every request and never answers. */
let silent: Server;
let asked: Promise<void>;
beforeEach(async () => {
  asked = new Promise((done) => {
    silent = createServer(() => done());
  });
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
});
afterEach(async () => {
  silent.closeAllConnections();
  await new Promise((done) => silent.close(done));
});

const SPAN: EndedSpan = {
  tenant: 'acme',
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  name: 'node work',
  kind: 'internal',
  startedAt: 1000,
  endedAt: 2500,
  attributes: {},
};

async function exporting() {
  const counts: Record<string, number> = {};
  const { port } = silent.address() as AddressInfo;
  const spans = await openSpanExport(
    { url: `http://127.0.0.1:${port}/v1/traces`, protocol: 'http/json', headers: {}, resource: {} },
    {
      vault: { everyRedactor: () => undefined },
      metrics: {
        spans: {
          inc({ result }, count = 1) {
            counts[result] = (counts[result] ?? 0) + count;
          },
        },
      },
      log: { warn: () => undefined, info: () => undefined },
    },
  );
  return { spans, counts };
}

it('keeps a bounded number of spans for a collector that does not answer, and counts the others', async () => {
  const { spans, counts } = await exporting();
  const batch = JSON.stringify(Array(512).fill(SPAN));
  // The first batch is under way at once, and the others wait.
  spans.add(batch);
  await asked;
  for (let at = 0; at < MAX_WAITING_SPANS / 512; at += 1) spans.add(batch);
  expect(counts).toEqual({});
  spans.add(JSON.stringify([SPAN, SPAN, SPAN]));
  expect(counts).toEqual({ dropped: 3 });
  // This resolves although no answer comes.
  await spans.stop();
});
