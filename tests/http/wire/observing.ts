import { expect } from 'vitest';
import type { TestHost } from '../host.ts';

/** What a client sees of a run: its snapshot and its events, read over HTTP like anybody reads them. */

interface WireEvent {
  readonly eventId: string;
  readonly type: string;
  readonly sequence: number;
  readonly nodeId?: string;
  readonly causationId?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly payload: any;
}

export interface Observed {
  readonly runId: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly snapshot: any;
  readonly events: readonly WireEvent[];
  readonly types: readonly string[];
  of(type: string): readonly WireEvent[];
  /** Chain events of a worker, or of all. */
  chain(workerId?: string): readonly WireEvent[];
  phases(workerId?: string): readonly string[];
  kinds(): readonly string[];
}

export function observing(host: () => TestHost) {
  async function look(runId: string): Promise<Observed> {
    const snapshot = (await host().get(`/v1/runs/${runId}`)).body;
    const events: readonly WireEvent[] = (await host().get(`/v1/runs/${runId}/events`)).body.events;
    const of = (type: string) => events.filter((event) => event.type === type);
    const chain = (workerId?: string) =>
      of('core.workflowChain.event').filter(
        ({ payload }) => (workerId ?? payload.workerId) === payload.workerId,
      );
    return {
      runId,
      snapshot,
      events,
      types: events.map(({ type }) => type),
      of,
      chain,
      phases: (workerId) => chain(workerId).map(({ payload }) => payload.phase),
      kinds: () => of('runOrchestrator.decided').map(({ payload }) => payload.decision.kind),
    };
  }

  /** Starts a run and looks at it once it has ended or waits for somebody. */
  async function run(workflowId: string, body: object = {}): Promise<Observed> {
    const { status, body: started, text } = await host().run(workflowId, body);
    expect(status, text).toBe(201);
    return look(started.runId);
  }

  /** Waits until the run has ended or waits for somebody once more, and looks at it. */
  async function settle(runId: string): Promise<Observed> {
    for (let last = -1; ; ) {
      const seen = await look(runId);
      if (!['running', 'pending'].includes(seen.snapshot.status)) return seen;
      const query = `lastSequence=${Math.max(last, seen.snapshot.lastSequence)}&timeout=20`;
      const { body } = await host().get(`/v1/runs/${runId}/events/poll?${query}`);
      last = body.events.at(-1)?.sequence ?? last;
    }
  }

  async function answer(runId: string, nodeId: string, resumeValue: object): Promise<number> {
    return (await host().post(`/v1/runs/${runId}/interrupts/${nodeId}`, { resumeValue })).status;
  }

  return {
    look,
    run,
    settle,
    answer,
    /** Answers, and looks at the run that `watched` names once that has settled. */
    async after(runId: string, nodeId: string, resumeValue: object, watched = runId): Promise<Observed> {
      expect(await answer(runId, nodeId, resumeValue)).toBe(200);
      return settle(watched);
    },
    async cancel(runId: string): Promise<Observed> {
      expect((await host().post(`/v1/runs/${runId}/cancel`, {})).status).toBeLessThan(300);
      return settle(runId);
    },
  };
}
