import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { AUTHENTICATED, messageReader, READY, wireMessage } from './wire.ts';

/** What the server answers to every statement: one row. Or the error with which it refuses connections. */
type Answer =
  | { readonly row: Readonly<Record<string, string | number | boolean>> }
  | { readonly refusal: string };

/** A server that speaks as much of the protocol of Postgres as a client needs that asks one question. */
export async function fakeServer(answer: Answer): Promise<string> {
  const server = createServer((client) => {
    client.on('error', () => undefined);
    const read = messageReader(true);
    client.on('data', (data: Buffer) => {
      for (const { type } of read(data)) {
        if ('refusal' in answer) client.end(error(answer.refusal));
        else if (type === '') client.write(Buffer.concat([AUTHENTICATED, READY]));
        else if (type === 'Q') client.write(rowOf(answer.row));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => void (await new Promise((resolve) => server.close(resolve))));
  return `postgres://fake:fake@127.0.0.1:${(server.address() as { port: number }).port}/fake`;
}

const text = (value: string) => Buffer.from(`${value}\0`);

function error(message: string): Buffer {
  const fields = [text('SFATAL'), text('C08P01'), text(`M${message}`), Buffer.alloc(1)];
  return wireMessage('E', ...fields);
}

const TYPES = { string: 25, number: 23, boolean: 16 } as const;

function rowOf(row: Readonly<Record<string, string | number | boolean>>): Buffer {
  const columns = Object.entries(row);
  const count = Buffer.alloc(2);
  count.writeInt16BE(columns.length);
  const described = columns.map(([name, value]) => {
    const rest = Buffer.alloc(18);
    rest.writeInt32BE(TYPES[typeof value as keyof typeof TYPES], 6);
    rest.writeInt16BE(-1, 10);
    return Buffer.concat([text(name), rest]);
  });
  const values = columns.map(([, value]) => {
    const written = Buffer.from(typeof value === 'boolean' ? (value ? 't' : 'f') : String(value));
    const length = Buffer.alloc(4);
    length.writeInt32BE(written.length);
    return Buffer.concat([length, written]);
  });
  return Buffer.concat([
    wireMessage('T', count, ...described),
    wireMessage('D', count, ...values),
    wireMessage('C', text('SELECT 1')),
    READY,
  ]);
}
