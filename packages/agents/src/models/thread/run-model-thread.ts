import type { MessagePort } from 'node:worker_threads';
import type { Vendors } from '../vendors.ts';
import type { FromModelThread, SaidKind, SentCall, ToModelThread } from './messages.ts';

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

/** Gathers the news of all calls: one message for everything that was said in one iteration of the event loop. */
export function gatheredNews(
  tell: (news: FromModelThread) => void,
  afterwards: (flush: () => void) => void = setImmediate,
) {
  /** What each call has said since the last message. */
  let pieces = new Map<number, { readonly kind: SaidKind; text: string }[]>();
  let answers: (number | string)[] = [];
  let isFlushing = false;

  function flush(): void {
    const said: (number | string)[] = [];
    for (const [id, own] of pieces) for (const { kind, text } of own) said.push(id, kind, text);
    const news = { said, answers };
    pieces = new Map();
    answers = [];
    isFlushing = false;
    tell(news);
  }

  function flushSoon(): void {
    if (isFlushing) return;
    isFlushing = true;
    afterwards(flush);
  }

  return {
    said(id: number, kind: SaidKind, text: string): void {
      const own = pieces.get(id) ?? [];
      const last = own.at(-1);
      if (last?.kind === kind) last.text += text;
      else own.push({ kind, text });
      pieces.set(id, own);
      flushSoon();
    },
    /** The call is over. */
    answered(id: number, answer: string): void {
      answers.push(id, answer);
      flushSoon();
    },
  };
}
