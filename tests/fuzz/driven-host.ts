import { type EffectOutcome, foldStored, type Run } from '@baton/engine';
import type { RunEvent } from '@baton/protocol';
import { createMockProvider } from '../../packages/server/src/models/mock.ts';
import { modelCalls } from '../../packages/server/src/models/model-calls.ts';
import { type Bench, type BenchOptions, handClock, settled, startTestEngine } from '../driver/test-engine.ts';

/** A host in this process whose clock, effects and crashes are in the hands of the test. */
export interface DrivenHost {
  top: Bench;
  /** Effects that were begun and that nobody has finished. */
  readonly pending: Pending[];
  move(ms: number): Promise<void>;
  /** The process dies and starts again. */
  crash(): Promise<void>;
  /** Until nothing moves any more. */
  idle(): Promise<void>;
}

interface Pending {
  readonly tenant: string;
  finish(outcome: EffectOutcome): void;
}

export async function drivenHost(options: Omit<BenchOptions, 'clock' | 'perform'>): Promise<DrivenHost> {
  const { clock, move } = handClock();
  const pending: Pending[] = [];
  const askModel = modelCalls({ provider: () => createMockProvider() });
  const perform: BenchOptions['perform'] = (effect) =>
    effect.kind === 'model.call'
      ? askModel(effect)
      : new Promise((finish) => pending.push({ tenant: effect.tenant, finish }));
  const host: DrivenHost = {
    top: await startTestEngine({ ...options, clock, perform }),
    pending,
    async move(ms) {
      await move(ms);
      await host.idle();
    },
    async crash() {
      pending.length = 0;
      host.top = await host.top.crash();
      await host.idle();
    },
    async idle() {
      for (let before = -1; ; ) {
        await settled();
        const told = host.top.told();
        if (told === before) return;
        before = told;
      }
    },
  };
  return host;
}

export function eventsOf({ top }: DrivenHost, tenant: string, runId: string): readonly RunEvent[] {
  return top.reads.events(tenant, runId, 0, 1_000_000).map((text) => JSON.parse(text) as RunEvent);
}

/** The run and everything below it. */
export function treeOf(host: DrivenHost, tenant: string, runId: string): readonly string[] {
  const { items } = host.top.reads.runs({ tenant, parentRunId: runId, limit: 200 });
  return [runId, ...items.flatMap((one) => treeOf(host, tenant, one.runId))];
}

export function statusOf({ top }: DrivenHost, tenant: string, runId: string): string {
  return top.reads.run(tenant, runId)?.status ?? 'absent';
}

export function stateOf({ top }: DrivenHost, tenant: string, runId: string): Run | undefined {
  const stored = top.reads.stored(tenant, runId);
  return stored && foldStored(stored);
}
