import type { Notice } from '@baton/engine';
import type { Peer } from '@baton/engine/ports';
import type { Logger } from 'pino';
import type { Later } from '../progress/coalesced.ts';
import type { PeerConnections } from './peer-connection.ts';
import { faultOf } from './peer-fault.ts';

/** Work on another host. */
interface RemoteTask {
  readonly peer: Peer;
  /** May not be known yet. `undefined`: the peer has begun no task. */
  readonly taskId: Promise<string | undefined>;
  /** The trace context of the call that began or followed the task. Its cancel belongs to the same span. */
  readonly traceparent: string;
}

/** Cancels the work on other hosts of runs that have ended here without its result. */
export interface RemoteCancels {
  /** The run waits for this task. */
  follow(runId: string, task: RemoteTask): void;
  hear(notices: readonly Notice[]): void;
  stop(): void;
}

interface RemoteCancelsOptions {
  readonly connections: PeerConnections;
  readonly later: Later;
  readonly log: Pick<Logger, 'warn'>;
}

const MOST_TRIES = 10;
const LONGEST_WAIT_MS = 60_000;

export function remoteCancels({ connections, later, log }: RemoteCancelsOptions): RemoteCancels {
  const followed = new Map<string, RemoteTask>();
  const waits = new Set<() => void>();
  let stopped = false;

  async function cancel(task: RemoteTask, taskId: string, tries: number): Promise<void> {
    const { peer, traceparent } = task;
    try {
      const { client } = await connections.to(peer, traceparent);
      await client.cancelTask({ tenant: '', id: taskId, metadata: undefined });
    } catch (error) {
      const fault = faultOf(error);
      // A task that has ended, or that the peer does not know, needs no cancel.
      if (!fault.retryable || stopped) return;
      if (tries >= MOST_TRIES) {
        log.warn({ peer: peer.name, taskId }, 'the work on another host could not be cancelled');
        return;
      }
      const end = later(Math.min(500 * 2 ** tries, LONGEST_WAIT_MS), () => {
        waits.delete(end);
        void cancel(task, taskId, tries + 1);
      });
      waits.add(end);
    }
  }

  return {
    follow: (runId, task) => void followed.set(runId, task),
    hear(notices) {
      if (followed.size === 0) return;
      for (const { runId, status } of notices) {
        const task = followed.get(runId);
        if (task === undefined || (status !== 'cancelled' && status !== 'failed' && status !== 'completed'))
          continue;
        followed.delete(runId);
        if (status === 'completed') continue;
        void task.taskId.then((taskId) => (taskId === undefined ? undefined : cancel(task, taskId, 1)));
      }
    },
    stop() {
      stopped = true;
      for (const end of waits) end();
      waits.clear();
    },
  };
}
