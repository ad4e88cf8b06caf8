import type { Later } from '@baton/agents';
import {
  type Command,
  openVault,
  type Reply,
  type ReplyValue,
  startEngine,
  withUnsealedRequests,
} from '@baton/engine';
import { BatonError, type ErrorCode, type RunStatus } from '@baton/protocol';
import type { ToolDefinition } from '../builder/tool.ts';
import { activityOf } from './activity.ts';
import { type SimulatedClock, simulatedClock } from './clock.ts';
import { effectsInProcess } from './effects.ts';
import { type Scripts, scriptedModels } from './models.ts';
import { type TenantStorage, tenantStorage } from './storage.ts';
import { toolsInProcess } from './tools.ts';

/** The real engine over a store in memory, with a clock and models that the test controls. */
export interface ProcessHost extends TenantStorage {
  readonly clock: SimulatedClock;
  /** Executes a command and lets everything happen that follows from it. Throws when the command is refused. */
  execute(command: Command): Promise<ReplyValue>;
  /** Lets time pass, and everything happen that is due until then. */
  pass(ms: number): Promise<void>;
  /** The runs that have new events since the last call, with their status. */
  changed(): ReadonlyMap<string, RunStatus>;
}

export interface HostOptions {
  readonly start: number;
  readonly scripts: Scripts;
  readonly tools: readonly ToolDefinition[];
}

export async function startProcessHost({ start, scripts, tools }: HostOptions): Promise<ProcessHost> {
  const storage = tenantStorage();
  const clock = simulatedClock(start);
  const activity = activityOf();
  const vault = openVault();
  const later: Later = (ms, callback) => {
    const wake = activity.asleep();
    const cancel = clock.at(clock.now() + ms, () => {
      wake();
      callback();
    });
    return () => {
      wake();
      cancel();
    };
  };
  const effects = effectsInProcess({
    reads: storage.reads,
    models: scriptedModels(scripts, later),
    tools: toolsInProcess(tools, () => clock.now()),
    now: () => clock.now(),
  });
  const failures: unknown[] = [];
  const engine = await startEngine({
    store: storage.store,
    clock,
    vault,
    effects: withUnsealedRequests(activity.watched(effects), vault),
    // Work takes no time here, so that nothing depends on the machine.
    elapsed: () => 0,
    onFatal: (error) => void failures.push(error),
  });
  let changed = new Map<string, RunStatus>();
  engine.onNotices((notices) => {
    activity.happened();
    for (const { runId, status } of notices) changed.set(runId, status);
  });
  await engine.recover();

  async function settle(): Promise<void> {
    await activity.untilQuiet(() => engine.idle());
    if (failures.length > 0) throw failures[0];
  }

  return {
    ...storage,
    clock,
    async execute(command) {
      const reply = await engine.execute(command);
      await settle();
      return accepted(reply);
    },
    async pass(ms) {
      const until = clock.now() + ms;
      for (let next = clock.next(); next !== undefined && next <= until; next = clock.next()) {
        clock.moveTo(next);
        await settle();
      }
      clock.moveTo(until);
      await settle();
    },
    changed() {
      const found = changed;
      changed = new Map();
      return found;
    },
  };
}

function accepted(reply: Reply): ReplyValue {
  if (reply.ok) return reply.value;
  throw new BatonError(reply.error.error as ErrorCode, reply.error.message, reply.error.details);
}
