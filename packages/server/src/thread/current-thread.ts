import type { Worker } from 'node:worker_threads';
import type { Loss } from '@baton/engine/ports';
import type { VaultContents } from '../secrets/host-vault.ts';
import { deferred } from './deferred.ts';
import type { ClusterState, FromEngine, ToEngine } from './messages.ts';

/** The thread that runs the engine at present. Messages and the end of an earlier thread are ignored. */
interface CurrentThread {
  /** Opens the store in a thread, which is the current one from now on. Resolves when it accepts commands. */
  open(worker: Worker, loss: Loss | undefined): Promise<void>;
  /** The thread that is being opened cannot be used. */
  refuse(error: Error): void;
  say(message: ToEngine): void;
  /** Answers the thread that is the current one now. The answer is dropped if another thread has taken its place. */
  answering(): (message: ToEngine) => void;
  end(): Promise<void>;
}

interface CurrentThreadOptions {
  /** The contents of the vault at this moment. */
  readonly vault: () => VaultContents;
  /** The hosts that share the store, at this moment. Absent: this is the only one. */
  readonly cluster: (() => ClusterState) | undefined;
  readonly hear: (message: FromEngine) => void;
  /** The thread has ended unexpectedly. */
  readonly onLost: (error: Error) => void;
}

export function currentThread(
  first: Worker,
  { vault, cluster, hear, onLost }: CurrentThreadOptions,
): CurrentThread {
  let worker = first;
  /** Counts threads. */
  let generation = 0;
  let ready = deferred<void>();

  const say = (message: ToEngine): void => worker.postMessage(message);

  return {
    async open(opened, loss) {
      const mine = deferred<void>();
      ready = mine;
      worker = opened;
      generation += 1;
      const own = generation;
      opened.on('message', (message: FromEngine) => {
        if (own !== generation) return;
        if (message.kind === 'ready') mine.resolve();
        else hear(message);
      });
      const lose = (error: Error) => {
        if (own === generation) onLost(error);
      };
      // A thrown value arrives as a copy. The copy of an error of an unknown class is not an instance of Error.
      opened.on('error', (error) => lose(asError(error)));
      opened.on('exit', (code) => lose(new Error(`the engine thread ended with code ${code}`)));
      say({ kind: 'open', vault: vault(), cluster: cluster?.(), ...(loss && { loss }) });
      await mine.promise;
    },
    refuse: (error) => ready.reject(error),
    say,
    answering() {
      const asking = generation;
      return (message) => {
        if (asking === generation) say(message);
      };
    },
    async end() {
      generation += 1;
      await worker.terminate();
    },
  };
}

function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { message } = (thrown ?? {}) as { readonly message?: unknown };
  return new Error(
    typeof message === 'string' ? message : `the engine thread threw ${JSON.stringify(thrown)}`,
  );
}
