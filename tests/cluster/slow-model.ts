import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A vendor of models that takes its time, and counts how often it is asked each question. */
export interface SlowModel {
  readonly baseURL: string;
  /** How often each question was asked. */
  readonly asked: ReadonlyMap<string, number>;
  /** How many questions wait for their answer. */
  waiting(): number;
  /** How long each answer takes from now on. */
  take(ms: number): void;
  close(): Promise<void>;
}

export async function startSlowModel(): Promise<SlowModel> {
  const asked = new Map<string, number>();
  let duration = 0;
  let waiting = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const question = questionIn(body);
      asked.set(question, (asked.get(question) ?? 0) + 1);
      waiting += 1;
      let isOver = false;
      const over = () => {
        if (!isOver) waiting -= 1;
        isOver = true;
      };
      response.once('close', over);
      setTimeout(() => {
        over();
        if (response.destroyed) return;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const part = (delta: object, finish: string | null) =>
          `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'slow', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
        response.end(
          `${part({ role: 'assistant', content: 'done' }, null)}${part({}, 'stop')}data: [DONE]\n\n`,
        );
      }, duration).unref();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    asked,
    waiting: () => waiting,
    take(ms) {
      duration = ms;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The text of the last message. */
function questionIn(body: string): string {
  const { messages } = JSON.parse(body) as { messages: readonly { readonly content: unknown }[] };
  const content = messages.at(-1)?.content;
  return typeof content === 'string' ? content : JSON.stringify(content);
}
