import { modelCalls } from '@baton/agents';
import { type EffectOutcome, foldStored, type Run } from '@baton/engine';
import { isTerminal, type RunEvent, type RunStatus } from '@baton/protocol';
import { createMockModel } from '../../packages/conformance/src/seams/mock-model.ts';
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
  const askModel = modelCalls({ provider: () => createMockModel() });
  const perform: BenchOptions['perform'] = (effect, context) =>
    effect.kind === 'model.call'
      ? askModel(effect, context)
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

export async function eventsOf(
  { top }: DrivenHost,
  tenant: string,
  runId: string,
): Promise<readonly RunEvent[]> {
  return (await top.reads.events(tenant, runId, 0, 1_000_000)).map((text) => JSON.parse(text) as RunEvent);
}

/** The run and everything below it. */
export async function treeOf(host: DrivenHost, tenant: string, runId: string): Promise<readonly string[]> {
  const { items } = await host.top.reads.runs({ tenant, parentRunId: runId, limit: 200 });
  const below = await Promise.all(items.map((one) => treeOf(host, tenant, one.runId)));
  return [runId, ...below.flat()];
}

export async function statusOf({ top }: DrivenHost, tenant: string, runId: string): Promise<string> {
  return (await top.reads.run(tenant, runId))?.status ?? 'absent';
}

/** Whether the run and everything below it has ended. */
export async function hasEnded(host: DrivenHost, tenant: string, runId: string): Promise<boolean> {
  const ids = await treeOf(host, tenant, runId);
  const statuses = await Promise.all(ids.map((id) => statusOf(host, tenant, id)));
  return statuses.every((status) => isTerminal(status as RunStatus));
}

export async function stateOf({ top }: DrivenHost, tenant: string, runId: string): Promise<Run | undefined> {
  const stored = await top.reads.stored(tenant, runId);
  return stored && foldStored(stored);
}
