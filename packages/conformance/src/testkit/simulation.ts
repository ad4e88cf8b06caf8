import {
  BatonError,
  type EventOf,
  type Json,
  type JsonObject,
  type RunEvent,
  type RunStatus,
} from '@baton/protocol';
import type { Caller, RunCommand } from '../../../engine/src/commands.ts';
import { applyCommand } from '../../../engine/src/driver/apply.ts';
import { DEFAULT_LIMITS, type HostLimits, limitsOfWorld } from '../../../engine/src/driver/limits.ts';
import { openVault, type Secrets } from '../../../engine/src/driver/secrecy/open-vault.ts';
import { emptyTree } from '../../../engine/src/driver/trees/loaded-tree.ts';
import { checkRefold } from '../../../engine/src/driver/trees/refold-check.ts';
import { definitionDigest } from '../../../engine/src/driver/workflows.ts';
import { advanceTree, isHeld } from '../../../engine/src/kernel/advance.ts';
import { startRun } from '../../../engine/src/kernel/create.ts';
import { nextDeadline } from '../../../engine/src/kernel/deadline.ts';
import { pendingEffects } from '../../../engine/src/kernel/effects.ts';
import { viewOfMemory } from '../../../engine/src/kernel/fold/evolve-fork.ts';
import { type Plan, planOf } from '../../../engine/src/kernel/graph/plan.ts';
import { checkDefinition, type Features } from '../../../engine/src/kernel/graph/registration.ts';
import { wantedByCommands } from '../../../engine/src/kernel/memory/shared-scope.ts';
import { WORKSPACE_SCOPE } from '../../../engine/src/kernel/memory/turn-inputs.ts';
import { lineOf } from '../../../engine/src/kernel/memory/turn-view.ts';
import type { Run } from '../../../engine/src/kernel/run.ts';
import { statusOf } from '../../../engine/src/kernel/status.ts';
import type { Tree, Want, World } from '../../../engine/src/kernel/working-run.ts';
import type { NodeTypes } from '../../../engine/src/nodes/index.ts';
import type { EffectOutcome } from '../../../engine/src/ports/effects.ts';
import type { MemoryRow } from '../../../engine/src/ports/memory.ts';
import { CONFORMANCE, setVariables } from '../engine.ts';
import { type MemoryBook, memoryBook } from './memory-book.ts';
import { checkOfficial } from './official-schemas.ts';
import { recover } from './recover.ts';

/**
 * The real kernel with a clock that the test moves and no store: one tree of runs, for tests that say
 * what happens when. Every step is folded again from its bytes, as in the always-replay mode.
 */
export interface Simulation {
  readonly rootId: string;
  readonly tree: Tree;
  now(): number;
  run(runId?: string): Run;
  status(runId?: string): RunStatus;
  events(runId?: string): readonly RunEvent[];
  types(runId?: string): readonly string[];
  /** The events of one type. */
  of<T extends RunEvent['type']>(type: T, runId?: string): readonly EventOf<T>[];
  /** Every run that ever was in the tree, root first. */
  runIds(): readonly string[];
  /** Moves the clock and lets due things happen. */
  tick(ms: number): void;
  /** The next moment at which time alone moves the tree. */
  deadline(): number | undefined;
  resolve(
    nodeId: string,
    value: Json,
    options?: { runId?: string; by?: string; viaToken?: boolean; scopes?: readonly string[] },
  ): void;
  cancel(runId?: string): void;
  pause(drainPolicy?: 'immediate' | 'drain-current-node'): void;
  resume(): void;
  setVariables(variables: Record<string, Json>): void;
  /** What the run remembers now, newest first. */
  memory(runId?: string): readonly MemoryRow[];
  /** Brings the outcomes of everything under way: done with these outputs (its key when none are given), or failed. */
  finishEffects(outcome?: Failure | { readonly done: JsonObject }): number;
}

interface Failure {
  readonly fail: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

export interface SimulationOptions {
  readonly inputs?: Record<string, Json>;
  readonly configurable?: Record<string, Json>;
  readonly limits?: Partial<HostLimits>;
  readonly chainEvents?: boolean;
  readonly start?: string;
  readonly scopes?: readonly string[];
  /** Workflows have to be looked up again after every command, as on a host that was just started. */
  readonly forgetful?: boolean;
  readonly secrets?: Secrets;
  readonly scopeId?: string;
  /** Memory that outlives the simulation, for those that share it. */
  readonly memory?: MemoryBook;
  /** A slice ends after so many events; by default it goes on for as long as the tree can. */
  readonly sliceEvents?: number;
  /** After every slice everything in memory is lost, and recovered from the log. */
  readonly crashes?: boolean;
}

export const ALL_FEATURES: Features = { dispatchMapping: true, subWorkflowInputMapping: true };
const CALLER: Caller = { tenant: 'acme', principal: 'ana' };
const SEALING_KEY = new Uint8Array(32).fill(7);
export const START_TIME = Date.UTC(2026, 0, 1);

/** Starts the first workflow (or `start`) and runs until it waits or ends. */
export function simulate(definitions: readonly unknown[], options: SimulationOptions = {}): Simulation {
  const plans = compile(definitions);
  const rootId = 'root';
  const log = new Map<string, RunEvent[]>();
  const ended = new Map<string, Run>();
  const lookedUp = new Set<string>();
  const book = options.memory ?? memoryBook();
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { secret, redactor, seal, opens } = openVault(options.secrets, SEALING_KEY);
  let now = START_TIME;
  const loaded = emptyTree(rootId, worldAt());
  const { tree } = loaded;

  function worldAt(): World {
    return {
      now,
      timestamp: new Date(now).toISOString(),
      ...limitsOfWorld(limits),
      chainEvents: options.chainEvents ?? true,
      provides: new Set(),
      asksAgain: () => false,
      secret,
      redactor,
      seal,
      opens,
      workflow: (tenant, id) =>
        isFound({ kind: 'workflow', tenant, id }) ? (plans.get(id) ?? 'absent') : 'unknown',
      memory: (query) => (isFound({ kind: 'memory', query }) ? book.memory(query) : 'unknown'),
      scopeVersion: (tenant, scope) =>
        isFound({ kind: 'scope', tenant, scope }) ? (book.scope(tenant, scope)?.version ?? 0) : 'unknown',
      workspace: (tenant) => {
        if (!isFound({ kind: 'scope', tenant, scope: WORKSPACE_SCOPE })) return 'unknown';
        const head = book.scope(tenant, WORKSPACE_SCOPE);
        return head && { scope: WORKSPACE_SCOPE, version: head.version };
      },
      transcript: (runId, from, limit) => {
        if (!isFound({ kind: 'transcript', runId, from, limit })) return 'unknown';
        const events = (log.get(runId) ?? []).slice(from, from + limit);
        return events.map((event) => lineOf(JSON.stringify(event)));
      },
    };
  }

  function isFound(want: Want): boolean {
    return options.forgetful !== true || lookedUp.has(JSON.stringify(want));
  }

  function find(wants: readonly Want[]): void {
    for (const want of wants) lookedUp.add(JSON.stringify(want));
  }

  function settle(): void {
    tree.world = worldAt();
    lookedUp.clear();
    const spent = () => tree.events >= (options.sliceEvents ?? Number.POSITIVE_INFINITY);
    for (let end = advanceTree(tree, spent); end !== 'quiet'; end = advanceTree(tree, spent)) {
      if (end === 'wanting') {
        find(tree.wanted);
        tree.wanted.length = 0;
      } else {
        if (tree.events === 0) throw new Error('a slice without an event would never end');
        commit();
      }
    }
    commit();
  }

  function commit(): void {
    checkRefold(tree);
    if (!book.apply(tree.changes)) throw new Error('somebody else changed the same memory');
    tree.changes = [];
    lookedUp.clear();
    for (const working of tree.runs.values()) {
      const events = log.get(working.run.runId) ?? [];
      for (const text of working.texts) {
        const event = JSON.parse(text) as RunEvent;
        checkOfficial(event);
        events.push(event);
      }
      log.set(working.run.runId, events);
      ended.set(working.run.runId, working.run);
      working.base = working.run;
      working.texts = [];
    }
    tree.events = 0;
    tree.bytes = 0;
    tree.happened = [];
    tree.steps = [];
    tree.changes = [];
    if (options.crashes)
      recover(tree, log, (run) => plans.get(run.workflowId)?.plan ?? notRegistered(run.workflowId));
  }

  function command(given: RunCommand): void {
    const working = tree.runs.get(given.runId);
    if (working === undefined) throw new BatonError('not_found');
    tree.world = worldAt();
    find(wantedByCommands(tree));
    applyCommand(working, given, CONFORMANCE.open());
    settle();
  }

  const first = options.start ?? [...plans.keys()][0] ?? '';
  const workflow = plans.get(first);
  if (workflow === undefined) return notRegistered(first);
  startRun(tree, {
    runId: rootId,
    workflow,
    ...CALLER,
    inputs: options.inputs ?? {},
    ...(options.configurable && { configurable: options.configurable }),
    ...(options.scopes && { scopes: options.scopes }),
    ...(options.scopeId && { scopeId: options.scopeId }),
  });
  settle();

  const runOf = (runId = rootId) => {
    const run = ended.get(runId);
    if (run === undefined) throw new Error(`no run ${runId}`);
    return run;
  };

  return {
    rootId,
    tree,
    now: () => now,
    run: runOf,
    status: (runId = rootId) => statusOf(runOf(runId), (id) => ended.get(id)),
    events: (runId = rootId) => log.get(runId) ?? [],
    types: (runId = rootId) => (log.get(runId) ?? []).map((event) => event.type),
    of: <T extends RunEvent['type']>(type: T, runId = rootId) =>
      (log.get(runId) ?? []).filter((event): event is EventOf<T> => event.type === type),
    runIds: () => [...log.keys()],
    tick(ms) {
      now += ms;
      tree.agenda.push(...tree.runs.keys());
      settle();
    },
    deadline() {
      const all = [...tree.runs.values()]
        .map((working) => nextDeadline(working.run, isHeld(working)))
        .filter((at) => at !== undefined);
      return all.length === 0 ? undefined : Math.min(...all);
    },
    resolve: (nodeId, resumeValue, { runId = rootId, by = 'ana', viaToken = false, scopes = [] } = {}) =>
      command({
        kind: 'resolve-interrupt',
        caller: { ...CALLER, principal: by },
        runId,
        target: { nodeId },
        resumeValue,
        viaToken,
        scopes,
      }),
    cancel: (runId = rootId) => command({ kind: 'cancel-run', caller: CALLER, runId, reason: 'test' }),
    pause: (drainPolicy = 'immediate') =>
      command({ kind: 'pause-run', caller: CALLER, runId: rootId, drainPolicy }),
    resume: () => command({ kind: 'resume-run', caller: CALLER, runId: rootId }),
    setVariables: (variables) => command(setVariables(CALLER, rootId, variables)),
    memory(runId) {
      const run = runOf(runId);
      return book.memory({ tenant: run.tenant, view: viewOfMemory(run.memory), now, limit: 1000 });
    },
    finishEffects(outcome) {
      const pending = [...tree.runs.values()].flatMap(({ run }) =>
        pendingEffects(run).map((effect) => ({ runId: run.runId, effect })),
      );
      for (const { runId, effect } of pending) {
        const { key, nodeId, execution, attempt, step, tries } = effect;
        command({
          kind: 'effect-outcome',
          key,
          runId,
          nodeId,
          execution,
          attempt,
          step,
          tries,
          outcome:
            outcome && 'fail' in outcome
              ? failureOf(outcome)
              : { kind: 'done', outputs: outcome?.done ?? { key } },
        });
      }
      return pending.length;
    },
  };
}

function failureOf({ fail, ...when }: Failure): EffectOutcome {
  return { kind: 'failed', error: { code: fail, message: 'as told' }, ...when };
}

function notRegistered(workflowId: string): never {
  throw new Error(`no workflow ${workflowId}`);
}

/** Registration as the host does it; throws its refusals. */
export function compile(definitions: readonly unknown[], nodes: NodeTypes = CONFORMANCE.nodes) {
  const plans = new Map<string, { readonly version: number; readonly plan: Plan }>();
  for (const given of definitions) {
    const { definition } = checkDefinition(given, ALL_FEATURES, nodes.of, nodes.ids);
    plans.set(definition.id, {
      version: 1,
      plan: planOf(definition, definitionDigest(definition), nodes.of),
    });
  }
  return plans;
}
