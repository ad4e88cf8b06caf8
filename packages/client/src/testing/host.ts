import { setImmediate } from 'node:timers/promises';
import { agentShelf, type Later, modelCalls, performEffects, preparing, toolCalls } from '@baton/agents';
import {
  type Clock,
  type Command,
  openVault,
  type Reply,
  type ReplyValue,
  startEngine,
  withUnsealedRequests,
} from '@baton/engine';
import {
  type Effects,
  MODEL_CALL,
  type Models,
  PREPARE,
  TOOL_CALL,
  type Tools,
  type WorkflowReads,
} from '@baton/engine/ports';
import { BatonError, type ErrorCode, type RunStatus } from '@baton/protocol';
import type { ToolDefinition } from '../builder/tool.ts';
import type { Library } from './library.ts';
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
  readonly library: Library;
  readonly start: number;
  readonly scripts: Scripts;
  readonly tools: readonly ToolDefinition[];
}

/** There are no secrets in a test. Sealed values are opened with a key of this process. */
const vault = openVault();

export async function startProcessHost({
  library,
  start,
  scripts,
  tools,
}: HostOptions): Promise<ProcessHost> {
  const storage = tenantStorage(library);
  const clock = simulatedClock(start);
  const activity = activityOf();
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

/** Turns of the event loop without anything new, after which nothing more will happen by itself. */
const QUIET_TURNS = 3;

/** Knows what goes on in a host: stored events, and effects that are performed. */
interface Activity {
  /** Something was stored. */
  happened(): void;
  /** One effect waits for the simulated clock, until the returned function is called. */
  asleep(): () => void;
  /** The same effects, which are counted while they are performed. */
  watched(effects: Effects): Effects;
  /** Resolves when only the clock or a command can make something happen. */
  untilQuiet(idle: () => Promise<void>): Promise<void>;
}

function activityOf(): Activity {
  let count = 0;
  let performing = 0;
  let sleeping = 0;
  let changed: () => void = () => undefined;

  function note(): void {
    count += 1;
    changed();
  }

  return {
    happened: note,
    asleep() {
      let isAsleep = true;
      sleeping += 1;
      note();
      return () => {
        if (!isAsleep) return;
        isAsleep = false;
        sleeping -= 1;
        note();
      };
    },
    watched: (effects) => ({
      perform(effect, context) {
        performing += 1;
        note();
        let isOver = false;
        const over = () => {
          if (!isOver) performing -= 1;
          isOver = true;
          note();
        };
        // The outcome of an aborted effect is not awaited any more.
        context.signal.addEventListener('abort', over, { once: true });
        const outcome = effects.perform(effect, context);
        outcome.then(over, over);
        return outcome;
      },
    }),
    async untilQuiet(idle) {
      for (let quiet = 0; quiet < QUIET_TURNS; ) {
        const before = count;
        await setImmediate();
        await idle();
        if (performing > sleeping && count === before) {
          await new Promise<void>((resolve) => {
            changed = resolve;
          });
          quiet = 0;
        } else quiet = count === before ? quiet + 1 : 0;
      }
    },
  };
}

/** A clock that stands still until a test moves it. */
interface SimulatedClock extends Clock {
  /** The time of the next alarm, if one is set. */
  next(): number | undefined;
  /** Sets the time and rings the alarms that are due, the earliest first. The time never goes back. */
  moveTo(time: number): void;
}

interface Alarm {
  readonly time: number;
  readonly callback: () => void;
}

function simulatedClock(start: number): SimulatedClock {
  let now = start;
  const alarms = new Set<Alarm>();
  const earliest = () => {
    let found: Alarm | undefined;
    for (const alarm of alarms) if (found === undefined || alarm.time < found.time) found = alarm;
    return found;
  };
  return {
    now: () => now,
    at(time, callback) {
      const alarm = { time, callback };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
    next: () => earliest()?.time,
    moveTo(time) {
      now = Math.max(now, time);
      for (let due = earliest(); due !== undefined && due.time <= now; due = earliest()) {
        alarms.delete(due);
        due.callback();
      }
    },
  };
}

interface EffectParts {
  readonly reads: WorkflowReads;
  readonly models: Models;
  readonly tools: Tools;
  readonly now: () => number;
}

/** Performs the effects of agents as a host does, with the models and tools of the test. */
function effectsInProcess({ reads, models, tools, now }: EffectParts): Effects {
  const shelf = agentShelf(reads);
  return performEffects(
    {
      [MODEL_CALL]: modelCalls(models),
      [PREPARE]: preparing({
        agents: () => shelf,
        models: { resolve: () => ({ provider: 'scripted', model: 'script' }) },
        tools,
      }),
      [TOOL_CALL]: toolCalls(tools, now),
    },
    () => undefined,
  );
}
