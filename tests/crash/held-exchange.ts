import type { Brought, Link } from '../peers/link.ts';

/** Holds the requests between two hosts, so that a host can be killed at a chosen moment of the exchange. */

/** A request on its way, or its answer. */
export interface Moment {
  /** The requests of `a` to `b`, or the report of `b` to `a`. */
  readonly of: 'card' | 'SendMessage' | 'GetTask' | 'report';
  readonly held: 'request' | 'answer';
  /** The state of the task that the report, or the answer to `GetTask`, names. Absent: any. */
  readonly state?: 'INPUT_REQUIRED' | 'COMPLETED';
}

export interface HeldExchange {
  /**
   * Holds one request of this run of `a`, at this moment. Until `hold` or `pass` is called for a run, all its
   * requests wait. A request for a card names no run: it belongs to `CARD_READER`.
   * Resolves when the request is held.
   */
  hold(runId: string, moment: Moment): Promise<void>;
  /** The requests of this run are not held. */
  pass(runId: string): void;
  /** Lets all held requests go on to the host that they are for, even if their sender is no longer there. */
  release(): void;
}

export const CARD_READER = 'the reader of the card';
const CARD = '/.well-known/agent-card.json';
const REPORTS = '/v1/a2a/pushed/';

interface Hold {
  readonly moment: Moment;
  readonly onHeld: () => void;
}

export function heldExchange(toA: Link, toB: Link): HeldExchange {
  /** By run. `undefined`: its requests pass. */
  const holds = new Map<string, Hold | undefined>([[CARD_READER, undefined]]);
  /** The requests of runs for which neither `hold` nor `pass` was called yet. */
  const early = new Map<string, (() => void)[]>();
  const runOfTask = new Map<string, string>();
  let held: (() => void)[] = [];

  function say(runId: string, hold: Hold | undefined): void {
    holds.set(runId, hold);
    for (const go of early.get(runId) ?? []) go();
    early.delete(runId);
  }

  async function known(runId: string): Promise<void> {
    if (holds.has(runId)) return;
    await new Promise<void>((go) => early.set(runId, [...(early.get(runId) ?? []), go]));
  }

  async function holdAt(runId: string, { of, held: part }: Moment, text: string): Promise<void> {
    const { moment, onHeld } = holds.get(runId) ?? {};
    if (moment?.of !== of || moment.held !== part || !text.includes(moment.state ?? '')) return;
    holds.set(runId, undefined);
    const released = new Promise<void>((go) => held.push(go));
    onHeld?.();
    await released;
  }

  toB.disturb(async ({ name, body }, forward) => {
    const of = name === CARD ? 'card' : name;
    if (of !== 'card' && of !== 'SendMessage' && of !== 'GetTask') return forward();
    const runId = of === 'card' ? CARD_READER : (parentRunIn(body) ?? runOfTask.get(taskIn(body)) ?? '');
    await known(runId);
    await holdAt(runId, { of, held: 'request' }, body);
    const brought = await forward();
    if (of === 'SendMessage') runOfTask.set(taskOf(brought), runId);
    await holdAt(runId, { of, held: 'answer' }, brought.body);
    return brought;
  });

  toA.disturb(async ({ path, body }, forward) => {
    if (!path.startsWith(REPORTS)) return forward();
    const runId = path.slice(REPORTS.length);
    await known(runId);
    await holdAt(runId, { of: 'report', held: 'request' }, body);
    const brought = await forward();
    await holdAt(runId, { of: 'report', held: 'answer' }, body);
    return brought;
  });

  return {
    hold: (runId, moment) => new Promise((onHeld) => say(runId, { moment, onHeld })),
    pass: (runId) => say(runId, undefined),
    release() {
      for (const go of held) go();
      held = [];
    },
  };
}

function parentRunIn(body: string): string | undefined {
  return /"parentRunId":"([^"]+)"/.exec(body)?.[1];
}

function taskIn(body: string): string {
  return (JSON.parse(body || '{}') as { params?: { id?: string } }).params?.id ?? '';
}

function taskOf({ body }: Brought): string {
  return (JSON.parse(body) as { result?: { task?: { id?: string } } }).result?.task?.id ?? '';
}
