import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { checked } from '../bundles.ts';
import { sharedHost } from './host.ts';

/**
 * The log begins with 14 MB, which is more than the buffers between the host and a reader that does not read. Many
 * small events follow. So the host has not read the end of the log when the reader stops.
 */
const WRITES = 350;
const STEPS = 400;
const payload = 'x'.repeat(40_000);
const inputs = { value: { type: 'variable', variableName: 'payload' } };
const write = { typeId: 'core.channelWrite', config: { channelName: 'bulk' }, inputs };
const step = { typeId: 'core.noop' };
const nodes = Array.from({ length: WRITES + STEPS }, (_, i) => ({
  id: `n${i}`,
  ...(i < WRITES ? write : step),
}));
const edges = nodes.slice(1).map((node, i) => ({ sourceNodeId: `n${i}`, targetNodeId: node.id }));
const bulky = { id: 'bulky', nodes, edges, variables: [{ name: 'payload', type: 'string' }] };
const host = await sharedHost({ alwaysRefold: false, workflows: [bulky] });
afterAll(() => host.stop());

/** The connection of a reader that has read the first bytes of the bundle, and stops. */
async function stalledExport(runId: string): Promise<{ readonly socket: Socket; readonly first: Buffer }> {
  const { hostname, port } = new URL(host.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET /v1/runs/${runId}/debug-bundle HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer ${host.key}\r\n\r\n`,
  );
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return { socket, first };
}

/** The body of the bundle. The reader goes on when `meanwhile` is done. */
async function exportWith(runId: string, meanwhile: () => Promise<unknown>): Promise<string> {
  const { socket, first } = await stalledExport(runId);
  const chunks = [first];
  await meanwhile();
  socket.on('data', (chunk) => void chunks.push(chunk)).resume();
  await new Promise((resolve) => socket.once('close', resolve));
  const text = Buffer.concat(chunks).toString();
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}

it('bundles that nobody takes are so many at a time; then only requests that read no whole log are answered', async () => {
  const { runId } = (await host.run('bulky', { inputs: { payload } })).body;
  const path = `/v1/runs/${runId}`;
  const stalled = await Promise.all(Array.from({ length: 8 }, () => stalledExport(runId)));
  for (const heavy of ['/debug-bundle', '/state', `/diff?against=${runId}`, '/attestations']) {
    const refused = await host.get(path + heavy);
    expect([refused.status, refused.body.error]).toEqual([429, 'too_many_reads']);
    expect(refused.headers.get('retry-after')).toBe('1');
  }
  expect((await host.get(path)).status).toBe(200);
  for (const { socket, first } of stalled) {
    expect(String(first)).toContain('200');
    socket.destroy();
  }
  // The host learns of it when it learns of it.
  await expect.poll(async () => (await host.get(`${path}/state`)).status).toBe(200);
});

it('a bundle of a run that is erased meanwhile ends as a document that says so, and is not opened', async () => {
  const { runId, status } = (await host.run('bulky', { inputs: { payload } })).body;
  expect(status).toBe('completed');
  const whole = JSON.parse(await exportWith(runId, () => host.get('/healthz')));
  expect(whole.truncated).toBeUndefined();

  const erased = await exportWith(runId, () => host.post(`/v1/runs/${runId}:erase`, { reason: 'asked to' }));
  const bundle = JSON.parse(erased);
  expect(bundle.events.length).toBe(whole.events.length);
  expect(bundle.events.at(-1).payload).toMatchObject({ erased: true });
  expect(bundle).toMatchObject({ truncated: true, truncatedReason: 'run_erased_during_export' });
  expect(bundle.batonProof).toBeUndefined();

  expect(checked(bundle)).toContain('was erased while the bundle was written');
});
