import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { edge, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { call, type HostProcess, startProcess } from './host-process.ts';

/** A host that is killed while it delivers: the receiver has the event, and the host never learns of it. */

const KILLS = 4;
const folder = mkdtempSync(join(tmpdir(), 'baton-webhook-crash-'));
const workflows = join(folder, 'workflows');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

mkdirSync(workflows);
const steps = workflow('steps', [node('a', 'core.noop'), node('b', 'core.noop')], {
  edges: [edge('a', 'b')],
});
writeFileSync(join(workflows, 'steps.json'), JSON.stringify(steps));

it('delivers every event, in the order of its run, over kills between a delivery and its record', async () => {
  const received: { readonly id: string; readonly runId: string; readonly sequence: number }[] = [];
  let sinceKill = 0;
  let kills = 0;
  let killed: (() => void) | undefined;
  let heard: () => void = () => undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { runId, event } = JSON.parse(Buffer.concat(chunks).toString());
      received.push({ id: String(request.headers['webhook-id']), runId, sequence: event.sequence });
      sinceKill += 1;
      // Not answered: the host dies with the request open.
      if (sinceKill === 5 && kills < KILLS) killed?.();
      else response.writeHead(204).end();
      heard();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const start = () => startProcess(join(folder, 'data'), workflows, { BATON_WEBHOOK_PRIVATE: '1' });

  let host: HostProcess = await start();
  await call(host.url, 'POST', '/v1/webhooks', { url, events: ['*'] });
  const runs: string[] = [];
  for (; kills < KILLS; kills += 1) {
    sinceKill = 0;
    const death = new Promise<void>((resolve) => {
      killed = resolve;
    }).then(() => host.kill('SIGKILL'));
    for (let number = 0; number < 3; number += 1) {
      const answer = await call(host.url, 'POST', '/v1/runs', { workflowId: 'steps' }).catch(() => undefined);
      if (answer?.ok) runs.push(((await answer.json()) as { runId: string }).runId);
    }
    await death;
    host = await start();
  }
  const whole = new Map<string, number>();
  for (const runId of runs) {
    const { events } = (await (await call(host.url, 'GET', `/v1/runs/${runId}/events`)).json()) as {
      events: unknown[];
    };
    whole.set(runId, events.length);
  }
  const toldOf = (runId: string) => received.filter((one) => one.runId === runId);
  const distinct = (runId: string) => new Set(toldOf(runId).map(({ sequence }) => sequence)).size;
  const isDone = () => runs.every((runId) => distinct(runId) === whole.get(runId));
  await new Promise<void>((resolve) => {
    heard = () => isDone() && resolve();
    heard();
  });
  for (const runId of runs) {
    const firsts = [...new Set(toldOf(runId).map(({ sequence }) => sequence))];
    expect(firsts).toEqual(Array.from({ length: whole.get(runId) ?? 0 }, (_, sequence) => sequence));
    expect(new Set(toldOf(runId).map(({ id }) => id)).size).toBe(whole.get(runId));
  }
  // Each kill makes at least one repetition.
  expect(received.length).toBeGreaterThanOrEqual(new Set(received.map(({ id }) => id)).size + KILLS);
  await host.kill('SIGTERM');
  server.closeAllConnections();
  server.close();
}, 120_000);
