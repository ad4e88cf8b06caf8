import type { MessagePort } from 'node:worker_threads';
import { type Engine, startEngine } from '@baton/engine';
import type { Effect, EffectOutcome, Loss, Store, WorkInHand } from '@baton/engine/ports';
import { loadAuditKey } from '../audit/key-file.ts';
import { vaultOf } from '../secrets/host-vault.ts';
import { type StorageLocation, storageAt } from '../storage/open-storage.ts';
import { collectFreshEvents } from './fresh-events.ts';
import { inHandWriter } from './in-hand.ts';
import { inHandFile, treeInHand } from './in-hand-file.ts';
import type { EngineThreadSettings, FromEngine, ToEngine } from './messages.ts';
import { storageCheck } from './storage-check.ts';

/** The engine thread. It holds the driver and the only connection that writes to the database. */
export async function runEngineThread(
  port: MessagePort,
  settings: EngineThreadSettings,
  open: (location: StorageLocation) => Promise<Store> = (location) => storageAt(location).openStore(),
): Promise<void> {
  const say = (message: FromEngine): void => port.postMessage(message);

  let replies: (number | string)[] = [];
  let notices: (number | string)[] = [];
  let fresh: (number | string)[] = [];
  let effects: (number | string)[] = [];
  let events = 0;
  let flushing = false;

  /** One message for everything that settled in this iteration of the event loop. */
  function flushSoon(): void {
    if (flushing) return;
    flushing = true;
    process.nextTick(() => {
      flushing = false;
      say({ kind: 'progress', replies, notices, fresh, effects, events });
      replies = [];
      notices = [];
      fresh = [];
      effects = [];
      events = 0;
    });
  }

  const underway = new Map<number, (outcome: EffectOutcome) => void>();
  let lastEffect = 0;

  /** Effects are performed on the main thread, where the sockets are. */
  function perform(effect: Effect): Promise<EffectOutcome> {
    const number = ++lastEffect;
    return new Promise((resolve) => {
      underway.set(number, resolve);
      effects.push(number, JSON.stringify(effect));
      flushSoon();
    });
  }

  function settle(number: number, outcome: string): void {
    const resolve = underway.get(number);
    underway.delete(number);
    resolve?.(JSON.parse(outcome));
  }

  function execute(engine: Engine, commands: readonly (number | string)[]): void {
    for (let i = 0; i + 1 < commands.length; i += 2) {
      const id = Number(commands[i]);
      engine.execute(JSON.parse(String(commands[i + 1]))).then((reply) => {
        replies.push(id, JSON.stringify(reply));
        flushSoon();
      }, fail);
    }
  }

  function fail(error: unknown): void {
    say({ kind: 'fatal', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }

  const storage = storageCheck(Date.now);

  /** Collects what was committed, before replies and notices are sent. */
  function observing(store: Store): Store {
    return {
      ...store,
      async commit(slices) {
        const results = await storage.watch(store.commit(slices));
        slices.forEach((slice, index) => {
          if (results[index] !== 'committed') return;
          for (const run of slice.runs) events += run.events.length;
          collectFreshEvents(fresh, slice);
        });
        return results;
      },
    };
  }
  // The main thread locks the data folder, so it is not opened before the main thread says so.
  const opening = await new Promise<Extract<ToEngine, { kind: 'open' }>>((resolve) =>
    port.once('message', resolve),
  );
  const before = treeInHand(settings.dataFolder);
  const losses = opening.loss ? [opening.loss] : lossOf(before);
  const file = inHandFile(settings.dataFolder);
  const store = await open({ kind: 'sqlite', folder: settings.dataFolder });
  const engine = await startEngine({
    store: observing(store),
    effects: { perform },
    vault: vaultOf(opening.vault),
    auditKey: loadAuditKey(settings.dataFolder, settings.auditKeyFile),
    alwaysRefold: settings.alwaysRefold,
    limits: settings.limits,
    conformance: settings.conformance ? (await import('@baton/engine/conformance')).CONFORMANCE : undefined,
    ...(settings.retention && { retention: settings.retention }),
    inHand: both(inHandWriter(settings.inHand), file),
    onFatal: fail,
    onLog: (level, message, fields) =>
      say({ kind: 'log', level, message, fields: JSON.stringify(fields ?? {}) }),
  });

  engine.onNotices((moved) => {
    for (const { runId, lastSequence, status } of moved) notices.push(runId, lastSequence, status);
    flushSoon();
  });

  port.on('message', (message: ToEngine) => {
    switch (message.kind) {
      case 'open':
        return;
      case 'recover':
        return void engine.recover(losses).catch(fail);
      case 'commands':
        return execute(engine, message.commands);
      case 'check':
        return void storage.check(store).then((state) => say({ kind: 'checked', storage: state }));
      case 'outcome':
        return settle(message.effect, message.outcome);
      case 'stop':
        engine
          .stop()
          .then(() => store.close())
          .then(() => file.close())
          .then(() => setImmediate(() => say({ kind: 'stopped' })), fail);
    }
  });

  say({ kind: 'ready' });
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
