import type { FromModelThread, SaidKind } from './messages.ts';

/** Gathers the news of all calls: one message for everything that was said in one iteration of the event loop. */
interface GatheredNews {
  said(id: number, kind: SaidKind, text: string): void;
  /** The call is over. */
  answered(id: number, answer: string): void;
}

export function gatheredNews(
  tell: (news: FromModelThread) => void,
  afterwards: (flush: () => void) => void = setImmediate,
): GatheredNews {
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
    said(id, kind, text) {
      const own = pieces.get(id) ?? [];
      const last = own.at(-1);
      if (last?.kind === kind) last.text += text;
      else own.push({ kind, text });
      pieces.set(id, own);
      flushSoon();
    },
    answered(id, answer) {
      answers.push(id, answer);
      flushSoon();
    },
  };
}
