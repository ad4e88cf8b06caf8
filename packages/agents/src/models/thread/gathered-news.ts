import type { Later } from '../timers.ts';
import type { FromModelThread, SaidKind } from './messages.ts';

/**
 * Gathers what the models of all calls say, so that the main thread has work for each message and not for each
 * token. The first words of a call and its answer are told at once; what comes in between is told together with
 * that of all other calls.
 */
interface GatheredNews {
  said(id: number, kind: SaidKind, text: string): void;
  /** The call is over. */
  answered(id: number, answer: string): void;
}

/** How long words wait to be told. With many calls they wait longer, for so long for each call. */
const LEAST_MS = 25;
const MOST_MS = 250;
const MS_FOR_A_CALL = 0.5;

interface Piece {
  readonly kind: SaidKind;
  text: string;
}

export function gatheredNews(tell: (news: FromModelThread) => void, later: Later): GatheredNews {
  /** The calls that have said something since the last message. */
  const pieces = new Map<number, Piece[]>();
  /** The calls that have said something at all. */
  const speaking = new Set<number>();
  let urgent = new Set<number>();
  let answers: (number | string)[] = [];
  let isWaiting = false;

  /** Takes the pieces of these calls. */
  function taken(ids: Iterable<number>): (number | string)[] {
    const said: (number | string)[] = [];
    for (const id of ids) {
      for (const { kind, text } of pieces.get(id) ?? []) said.push(id, kind, text);
      pieces.delete(id);
    }
    return said;
  }

  function tellUrgent(): void {
    const news = { said: taken(urgent), answers };
    urgent = new Set();
    answers = [];
    tell(news);
  }

  function hurry(id: number): void {
    if (urgent.size === 0) process.nextTick(tellUrgent);
    urgent.add(id);
  }

  function wait(): void {
    if (isWaiting) return;
    isWaiting = true;
    later(Math.min(Math.max(LEAST_MS, speaking.size * MS_FOR_A_CALL), MOST_MS), () => {
      isWaiting = false;
      if (pieces.size > 0) tell({ said: taken([...pieces.keys()]), answers: [] });
    });
  }

  return {
    said(id, kind, text) {
      const own = pieces.get(id) ?? [];
      const last = own.at(-1);
      if (last?.kind === kind) last.text += text;
      else own.push({ kind, text });
      pieces.set(id, own);
      if (speaking.has(id)) return wait();
      speaking.add(id);
      hurry(id);
    },
    answered(id, answer) {
      speaking.delete(id);
      answers.push(id, answer);
      hurry(id);
    },
  };
}
