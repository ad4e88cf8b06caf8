import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFORMANCE } from '@baton/conformance/engine';
import {
  type Clock,
  type Command,
  type Effect,
  type EffectContext,
  type EffectOutcome,
  type Engine,
  type EngineOptions,
  type HostLimits,
  type LocalEngine,
  type Loss,
  type OpenVault,
  openVault,
  type Reply,
  type SigningKey,
  StorageFullError,
  type Store,
  type StoreReads,
  startEngine,
  type WorkInHand,
  withUnsealedRequests,
} from '@baton/engine';
import type { EventOf, Json, RunEvent, RunStatus } from '@baton/protocol';
import { openSqliteReads, openSqliteStore } from '@baton/store-sqlite';
import { onTestFinished } from 'vitest';
import { checkLogs } from '../reference/check-logs.ts';

/** The real driver over the real store, in this thread, with a clock and effects that the test controls. */

export const CALLER = { tenant: 'acme', principal: 'ana' };

/** What a person answers to the question of a node. */
export const answerTo = (runId: string, nodeId: string, resumeValue: Json = { action: 'accept' }) =>
  ({
    kind: 'resolve-interrupt',
    caller: CALLER,
    runId,
    target: { nodeId },
    resumeValue,
    viaToken: false,
    scopes: [] as readonly string[],
  }) as const;

export const creationOf = (workflowId: string) =>
  ({ kind: 'create-run', caller: CALLER, body: { workflowId } }) as const;

export const on = (kind: 'cancel-run' | 'pause-run' | 'resume-run', runId: string) =>
  ({ kind, caller: CALLER, runId, drainPolicy: 'immediate' }) as const;

/** The run that a command has made. */
export function runIdOf(reply: Reply): string {
  if (!reply.ok || !(reply.value.kind === 'run' || reply.value.kind === 'fork'))
    throw new Error(JSON.stringify(reply));
  return reply.value.runId;
}

/** Something that waits until the test lets it go on. */
export function latch() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A disk that can be full, for slices and for definitions alike. */
export function disk(full = false) {
  const state = { full };
  const refuse = () => Promise.reject(new StorageFullError());
  const wrap = (store: Store): Store => ({
    ...store,
    commit: (slices) => (state.full ? refuse() : store.commit(slices)),
    putWorkflow: (definition, reply) => (state.full ? refuse() : store.putWorkflow(definition, reply)),
  });
  return { state, wrap };
}

/** A clock that stands still until it is moved. */
export function handClock(start = Date.UTC(2026, 0, 1)) {
  let now = start;
  const alarms = new Set<{ readonly time: number; readonly callback: () => void }>();
  const clock: Clock = {
    now: () => now,
    at(time, callback) {
      const alarm = { time, callback };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
  };
  return {
    clock,
    alarms: () => alarms.size,
    /** Rings what is due, in order, and lets the driver work it off. */
    async move(ms: number) {
      now += ms;
      for (const alarm of [...alarms].filter(({ time }) => time <= now)) {
        alarms.delete(alarm);
        alarm.callback();
      }
      await settled();
    },
  };
}

/** The engines of the tests in this process, except those that have crashed. */
const engines = new Set<LocalEngine>();
/** Counts the rounds that these engines have stored. */
let stored = 0;

/**
 * Until no engine has anything to do, and effects that were performed at once, or deadlines that were rung,
 * have brought no new work for three turns of the event loop.
 */
export async function settled(): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    const before = stored;
    await new Promise((resolve) => setImmediate(resolve));
    for (const engine of engines) await engine.idle();
    quiet = stored === before ? quiet + 1 : 0;
  }
}

export interface Bench {
  readonly folder: string;
  readonly engine: Engine;
  readonly store: Store;
  readonly reads: StoreReads;
  readonly performed: Effect[];
  readonly fatal: unknown[];
  readonly logged: string[];
  /** How many notices of stored events the engine has given. */
  told(): number;
  execute(command: Command): Promise<Reply>;
  register(...definitions: readonly unknown[]): Promise<void>;
  create(workflowId: string, inputs?: Record<string, Json>): Promise<string>;
  status(runId: string): Promise<RunStatus | undefined>;
  events(runId: string): Promise<readonly RunEvent[]>;
  types(runId: string): Promise<readonly string[]>;
  /** The events of one type. */
  of<T extends RunEvent['type']>(runId: string, type: T): Promise<readonly EventOf<T>[]>;
  /** The process dies: the driver is abandoned as it is, and another starts on the same folder. */
  crash(options?: BenchOptions): Promise<Bench>;
}

export interface BenchOptions {
  /** Without the parts of the engine that conformance suites use. */
  readonly product?: boolean;
  readonly clock?: Clock;
  readonly ids?: EngineOptions['ids'];
  readonly perform?: (effect: Effect, context: EffectContext) => Promise<EffectOutcome>;
  readonly wrap?: (store: Store) => Store;
  readonly folder?: string;
  /** Opens another store than the one in the folder. */
  readonly open?: () => Promise<{ readonly store: Store; readonly reads: StoreReads }>;
  readonly vault?: OpenVault;
  readonly auditKey?: SigningKey;
  readonly limits?: Partial<HostLimits>;
  readonly share?: EngineOptions['share'];
  readonly ownership?: EngineOptions['ownership'];
  readonly scheduler?: EngineOptions['scheduler'];
  /** How long work takes. Unless a test wants to see that, it takes no time, so that nothing depends on the machine. */
  readonly elapsed?: () => number;
  readonly inHand?: WorkInHand;
  readonly onSpans?: EngineOptions['onSpans'];
  readonly losses?: readonly Loss[];
  /** Events that somebody forged are of this host's schemas, but not always of the protocol's, which are stricter. */
  readonly holdsForgeries?: boolean;
}

export async function startTestEngine(options: BenchOptions = {}): Promise<Bench> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'baton-driver-'));
  if (options.folder === undefined) onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { store: opened, reads } = (await options.open?.()) ?? {
    store: openSqliteStore(folder),
    reads: openSqliteReads(folder),
  };
  const wrapped = options.wrap?.(opened) ?? opened;
  const store: Store = {
    ...wrapped,
    async commit(slices) {
      const results = await wrapped.commit(slices);
      stored += 1;
      return results;
    },
  };
  const performed: Effect[] = [];
  const fatal: unknown[] = [];
  const logged: string[] = [];
  const vault = options.vault ?? openVault();
  const perform = async (effect: Effect, context: EffectContext): Promise<EffectOutcome> => {
    performed.push(effect);
    return options.perform?.(effect, context) ?? { kind: 'done', outputs: { key: effect.key } };
  };
  const engine = await startEngine({
    store,
    alwaysRefold: true,
    vault,
    effects: withUnsealedRequests({ perform }, vault),
    ...(options.product ? {} : { extension: CONFORMANCE }),
    ...(options.clock && { clock: options.clock }),
    ...(options.ids && { ids: options.ids }),
    ...(options.auditKey && { auditKey: options.auditKey }),
    ...(options.limits && { limits: options.limits }),
    ...(options.share && { share: options.share }),
    ...(options.ownership && { ownership: options.ownership }),
    ...(options.scheduler && { scheduler: options.scheduler }),
    elapsed: options.elapsed ?? (() => 0),
    ...(options.inHand && { inHand: options.inHand }),
    ...(options.onSpans && { onSpans: options.onSpans }),
    onFatal: (error) => void fatal.push(error),
    onLog: (_level, message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`),
  });
  engines.add(engine);
  let told = 0;
  engine.onNotices((notices) => {
    told += notices.length;
  });
  await engine.recover(options.losses);
  let open = true;
  const close = async () => {
    if (!open) return;
    open = false;
    engines.delete(engine);
    await reads.close();
    await opened.close();
  };
  onTestFinished(async () => {
    // One that has crashed cannot sign what it had done.
    await engine.stop().catch((problem) => {
      if (open) throw problem;
    });
    await close();
    if (!options.holdsForgeries && options.open === undefined) checkLogs(folder);
  });

  const self: Bench = {
    folder,
    engine,
    told: () => told,
    store: opened,
    reads,
    performed,
    fatal,
    logged,
    execute: (command) => engine.execute(command),
    async register(...definitions) {
      for (const definition of definitions) {
        const reply = await engine.execute({
          kind: 'register-workflow',
          caller: CALLER,
          definition: definition as never,
          shared: false,
        });
        if (!reply.ok) throw new Error(reply.error.message);
      }
    },
    async create(workflowId, inputs = {}) {
      const runId = runIdOf(
        await engine.execute({ kind: 'create-run', caller: CALLER, body: { workflowId, inputs } }),
      );
      await settled();
      return runId;
    },
    status: async (runId) => (await reads.run(CALLER.tenant, runId))?.status,
    async events(runId) {
      const texts = await reads.events(CALLER.tenant, runId, 0, 1_000_000);
      return texts.map((text) => JSON.parse(text) as RunEvent);
    },
    types: async (runId) => (await self.events(runId)).map((event) => event.type),
    of: async <T extends RunEvent['type']>(runId: string, type: T) =>
      (await self.events(runId)).filter((event): event is EventOf<T> => event.type === type),
    async crash(next = {}) {
      await close();
      const again = await startTestEngine({ ...options, ...next, folder });
      await settled();
      return again;
    },
  };
  return self;
}
