import type { MessagePort } from 'node:worker_threads';
import { type Engine, type EngineOptions, startEngine, systemClock, untilReached } from '@baton/engine';
import {
  type Clock,
  type EffectContext,
  type EffectOutcome,
  type Effects,
  type Loss,
  type ProgressOf,
  StorageFullError,
  type Store,
  type WorkInHand,
} from '@baton/engine/ports';
import { loadAuditKey } from '../audit/key-file.ts';
import { vaultOf } from '../secrets/host-vault.ts';
import { type StorageLocation, storageAt } from '../storage/open-storage.ts';
import { engineExtension } from './extension.ts';
import { inHandWriter } from './in-hand.ts';
import type {
  ClusterState,
  EngineThreadSettings,
  FromEngine,
  Numbered,
  StorageState,
  ToEngine,
} from './messages.ts';
import { type Progress, progress, spanMessages } from './progress.ts';

/** The engine thread. It holds the driver and the only connection that writes to the database. */
export async function runEngineThread(
  port: MessagePort,
  settings: EngineThreadSettings,
  open: (location: StorageLocation, hostNo?: number) => Promise<Store> = (location, hostNo) =>
    storageAt(location).openStore(hostNo),
): Promise<void> {
  const say = (message: FromEngine): void => port.postMessage(message);
  const log = logMessages(say);

  const news = progress(say);
  const effects = effectsElsewhere({ ask: news.asked, abort: news.aborted });
  const writable = storageCheck(Date.now);

  function fail(error: unknown): void {
    say({ kind: 'fatal', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }

  // The main thread locks the data folder, so it is not opened before the main thread says so.
  const opening = await new Promise<Extract<ToEngine, { kind: 'open' }>>((resolve) =>
    port.once('message', resolve),
  );
  const vault = vaultOf(opening.vault);
  const storage = storageAt(settings.storage);
  const note = await storage.openInHand();
  const losses = opening.loss ? [opening.loss] : lossOf(note.before);
  const cluster = opening.cluster && clusterOf(opening.cluster);
  const store = await reached(() => open(settings.storage, opening.cluster?.hostNo));
  store.changes(news.changed);
  const engine = await startEngine({
    store: observing(store, writable, news),
    effects,
    ...(cluster && { ownership: cluster.ownership, clock: cluster.clock }),
    ...(await otherScheduler(settings, cluster?.clock ?? systemClock, log)),
    vault,
    auditKey: await reached(() => loadAuditKey(storage, settings.auditKeyFile)),
    alwaysRefold: settings.alwaysRefold,
    limits: settings.limits,
    extension: await engineExtension(settings.extension),
    ...(settings.retention && { retention: settings.retention }),
    inHand: both(inHandWriter(settings.inHand), note),
    ...(settings.traced && { onSpans: spanMessages(say) }),
    onFatal: fail,
    onLog: log,
  });

  engine.onNotices(news.moved);

  port.on('message', (message: ToEngine) => {
    switch (message.kind) {
      case 'open':
        return;
      case 'secret':
        return vault.change(message.change);
      case 'recover':
        return void engine.recover(losses).catch(fail);
      case 'hosts':
        cluster?.change(message.cluster);
        return void (message.adopts && engine.adopt().catch(fail));
      case 'commands':
        return execute(engine, message.commands, news, fail);
      case 'followed':
        return news.followed(message.runId, message.isFollowed);
      case 'check':
        return void writable.check(store).then((state) => say({ kind: 'checked', storage: state }));
      case 'outcome':
        return effects.settle(message.effect, message.outcome);
      case 'chunk':
        return effects.progress(message.effect, message.chunk, message.isLast, message.of);
      case 'drain':
        return void engine.drain().then(() => say({ kind: 'drained' }), fail);
      case 'stop':
        return void stopAll(engine, store, note).then(
          () => setImmediate(() => say({ kind: 'stopped' })),
          fail,
        );
    }
  });

  say({ kind: 'ready' });
}

async function stopAll(
  engine: Engine,
  ...after: readonly { close(): Promise<void> | void }[]
): Promise<void> {
  await engine.stop();
  for (const part of after) await part.close();
}

/** A thread may be started again while the database is away. */
function reached<T>(work: () => Promise<T>): Promise<T> {
  return untilReached(systemClock, work);
}

function execute(engine: Engine, commands: Numbered, news: Progress, fail: (error: unknown) => void): void {
  for (let i = 0; i + 1 < commands.length; i += 2) {
    const id = Number(commands[i]);
    engine.execute(JSON.parse(String(commands[i + 1]))).then((reply) => {
      news.replied(id, JSON.stringify(reply));
    }, fail);
  }
}

/** Collects what was committed, before replies and notices are sent. */
function observing(store: Store, writable: StorageCheck, news: Progress): Store {
  return {
    ...store,
    async commit(slices) {
      const results = await writable.watch(store.commit(slices));
      slices.forEach((slice, index) => {
        if (results[index] === 'committed') news.committed(slice);
      });
      return results;
    },
  };
}

type Log = NonNullable<EngineOptions['onLog']>;

function logMessages(say: (message: FromEngine) => void): Log {
  return (level, message, fields) =>
    say({ kind: 'log', level, message, fields: JSON.stringify(fields ?? {}) });
}

/** The library of Restate is loaded only where it is used. */
async function otherScheduler(
  { restate }: EngineThreadSettings,
  clock: Clock,
  log: Log,
): Promise<Pick<EngineOptions, 'scheduler'>> {
  if (restate === undefined) return {};
  const { openRestate } = await import('@baton/scheduler-restate');
  return openRestate({ ...restate, clock, log });
}

function lossOf(rootId: string | undefined): readonly Loss[] {
  return rootId === undefined ? [] : [{ rootId, how: 'lost' }];
}

function both(one: WorkInHand, other: WorkInHand): WorkInHand {
  return {
    take(work) {
      one.take(work);
      other.take(work);
    },
    putDown() {
      one.putDown();
      other.putDown();
    },
  };
}

/**
 * Checks whether the store can be written. A recent successful commit proves it; otherwise a test value is
 * written.
 */
interface StorageCheck {
  /** Notes whether a commit succeeded. */
  watch<T>(commit: Promise<T>): Promise<T>;
  check(store: Pick<Store, 'checkWritable'>): Promise<StorageState>;
}

/** For this long a success counts as proof. A write for every check could keep the disk busy. */
const BELIEVED_MS = 5000;

export function storageCheck(now: () => number): StorageCheck {
  let writtenAt = Number.NEGATIVE_INFINITY;

  async function watch<T>(commit: Promise<T>): Promise<T> {
    try {
      const result = await commit;
      writtenAt = now();
      return result;
    } catch (problem) {
      writtenAt = Number.NEGATIVE_INFINITY;
      throw problem;
    }
  }

  return {
    watch,
    async check(store) {
      if (now() - writtenAt < BELIEVED_MS) return 'writable';
      try {
        await watch(store.checkWritable());
        return 'writable';
      } catch (problem) {
        return problem instanceof StorageFullError ? 'full' : 'failing';
      }
    },
  };
}

/** A smaller difference may come from the way to the database and back. */
const WORTH_CORRECTING_MS = 25;

/** What the engine of a host has to know of the other hosts. */
function clusterOf(first: ClusterState) {
  let { alive } = first;
  let offset = 0;

  function change(state: ClusterState): void {
    alive = state.alive;
    if (Math.abs(state.clockOffsetMs - offset) >= WORTH_CORRECTING_MS)
      offset = Math.round(state.clockOffsetMs);
  }

  change(first);
  return {
    ownership: { owner: String(first.hostNo), alive: () => alive },
    /** The clock of the database, so that hosts with wrong clocks agree about deadlines. */
    clock: {
      now: () => systemClock.now() + offset,
      at: (time, callback) => systemClock.at(time - offset, callback),
    } satisfies Clock,
    change,
  };
}

/** The effects of the engine thread. They are performed on the main thread, where the sockets are. */
interface EffectsElsewhere extends Effects {
  /** The main thread reports the outcome of the effect with this number. */
  settle(number: number, outcome: string): void;
  /** The main thread reports a part of the text that the effect brings. */
  progress(number: number, chunk: string, isLast: boolean, of?: ProgressOf): void;
}

interface EffectsElsewhereOptions {
  readonly ask: (number: number, effect: string) => void;
  readonly abort: (number: number) => void;
}

interface Asked {
  readonly context: EffectContext;
  readonly resolve: (outcome: EffectOutcome) => void;
}

function effectsElsewhere({ ask, abort }: EffectsElsewhereOptions): EffectsElsewhere {
  const underWay = new Map<number, Asked>();
  let last = 0;
  return {
    perform(effect, context) {
      const number = ++last;
      return new Promise((resolve) => {
        underWay.set(number, { context, resolve });
        ask(number, JSON.stringify(effect));
        context.signal.addEventListener('abort', () => {
          if (underWay.has(number)) abort(number);
        });
      });
    },
    settle(number, outcome) {
      const asked = underWay.get(number);
      underWay.delete(number);
      asked?.resolve(JSON.parse(outcome));
    },
    progress(number, chunk, isLast, of) {
      underWay.get(number)?.context.progress(chunk, isLast, of);
    },
  };
}
