import type { MessagePort } from 'node:worker_threads';
import type { Vendors } from '../vendors.ts';
import { gatheredNews } from './gathered-news.ts';
import type { FromModelThread, SentCall, ToModelThread } from './messages.ts';

/** The model thread. It asks the vendors and keeps nothing between two calls. */
export function runModelThread(port: MessagePort, vendors: Vendors): void {
  const aborts = new Map<number, AbortController>();
  const news = gatheredNews((message) => port.postMessage(message));

  async function ask(id: number, { request, key, traceparent, vendor }: SentCall): Promise<void> {
    const abort = new AbortController();
    aborts.set(id, abort);
    const call = {
      request,
      key,
      ...(traceparent !== undefined && { traceparent }),
      signal: abort.signal,
      progress: (text: string) => news.said(id, 'text', text),
      reasoned: (text: string) => news.said(id, 'reasoning', text),
    };
    const answer = await vendors.ask(call, vendor);
    aborts.delete(id);
    news.answered(id, JSON.stringify(answer));
  }

  port.on('message', (message: ToModelThread) => {
    if (message.kind === 'abort') aborts.get(message.id)?.abort();
    else if (message.kind === 'ping') port.postMessage({ said: [], answers: [] } satisfies FromModelThread);
    // A call that throws ends the thread, and the main thread notices that its calls are lost.
    else void ask(message.id, JSON.parse(message.call));
  });
}
