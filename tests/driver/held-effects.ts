import { CONFORMANCE } from '@baton/conformance/engine';
import {
  type Effect,
  type EffectContext,
  type EffectOutcome,
  type LocalEngine,
  startEngine,
} from '@baton/engine';
import { expect, onTestFinished } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { type BenchOptions, type on, settled, startTestEngine } from './test-engine.ts';

/** Effects that are under way until the test brings their outcomes, on one host or on two. */

type Config = Record<string, unknown>;

export const acting = (config: Config = {}, more: Config = {}) =>
  workflow('w', [node('act', 'core.conformance.side-effect', config, more)]);

export const DONE: EffectOutcome = { kind: 'done', outputs: {} };
export const BUSY = { kind: 'failed', error: { code: 'busy', message: 'Try later.' } } as const;

interface HeldCall {
  readonly effect: Effect;
  readonly context: EffectContext;
  finish(outcome?: EffectOutcome): Promise<void>;
}

export function heldEffects() {
  const calls: HeldCall[] = [];
  const perform = (effect: Effect, context: EffectContext) =>
    new Promise<EffectOutcome>((resolve) => {
      const finish = async (outcome = DONE) => {
        resolve(outcome);
        await settled();
      };
      calls.push({ effect, context, finish });
    });
  return { calls, perform };
}

/** The command is accepted, and everything that follows from it was done. */
export async function carriedOut(
  host: Pick<LocalEngine, 'execute'>,
  command: ReturnType<typeof on>,
): Promise<void> {
  expect(await host.execute(command)).toMatchObject({ ok: true });
  await settled();
}

export type SchedulersByOwner = Readonly<Record<'one' | 'two', NonNullable<BenchOptions['scheduler']>>>;

/** Two hosts on one store. The first has begun a run of the workflow. `alive` names the hosts that are at work. */
export async function twoHosts(
  definition: ReturnType<typeof acting>,
  options: Pick<BenchOptions, 'clock' | 'wrap'> & { readonly schedulers?: SchedulersByOwner } = {},
) {
  const alive = ['one', 'two'];
  const first = heldEffects();
  const second = heldEffects();
  const shared = (owner: 'one' | 'two') => ({
    ownership: { owner, alive: () => alive },
    ...(options.clock && { clock: options.clock }),
    ...(options.schedulers && { scheduler: options.schedulers[owner] }),
  });
  const one = await startTestEngine({ ...options, perform: first.perform, ...shared('one') });
  const two = await startEngine({
    ...shared('two'),
    store: one.store,
    effects: { perform: second.perform },
    extension: CONFORMANCE,
    elapsed: () => 0,
    onFatal: (error) => void one.fatal.push(error),
  });
  onTestFinished(() => two.stop());
  await one.register(definition);
  const runId = await one.create('w');
  return { one, two, runId, alive, first: first.calls, second: second.calls };
}
