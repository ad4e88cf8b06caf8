import { connect } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { sharedHost } from './host.ts';

const NODES = 24;
const payload = 'x'.repeat(400_000);

// Each write takes the place of the one before: the log grows, and what the run holds does not.
const inputs = { value: { type: 'variable', variableName: 'payload' } };
const config = { channelName: 'bulk' };
const write = { typeId: 'core.channelWrite', config, inputs };
const nodes = Array.from({ length: NODES }, (_, i) => ({ id: `n${i}`, ...write }));
const edges = nodes.slice(1).map((node, i) => ({ sourceNodeId: `n${i}`, targetNodeId: node.id }));
const bulky = { id: 'bulky', nodes, edges, variables: [{ name: 'payload', type: 'string' }] };
const host = await sharedHost({ alwaysRefold: false, workflows: [bulky] });
afterAll(() => host.stop());

it('gives a reader that stalls everything once it reads on, and keeps serving the others', async () => {
  const { body } = await host.run('bulky', { inputs: { payload } });
  expect(body.status).toBe('completed');
  const { hostname, port } = new URL(host.url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.write(
    `GET /v1/runs/${body.runId}/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n` +
      `Authorization: Bearer ${host.key}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  for (let i = 0; i < 20; i += 1) expect((await host.get(`/v1/runs/${body.runId}`)).status).toBe(200);

  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => void chunks.push(chunk)).resume();
  await new Promise((resolve) => socket.on('close', resolve));
  const text = Buffer.concat(chunks).toString();
  expect(text.length).toBeGreaterThan(NODES * payload.length);
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
  expect(ids).toEqual(Array.from({ length: body.lastSequence + 1 }, (_, i) => i));
});
