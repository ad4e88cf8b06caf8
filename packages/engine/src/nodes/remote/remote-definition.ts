import { completeDefinition, type RemoteWorker, type WorkflowDefinition } from '@baton/protocol';

export const REMOTE_NODE = 'baton.remote';

/**
 * The workflow that stands for a worker of another host: one node, which hands the work over and waits for the
 * result. No author writes or registers it.
 */
export function remoteDefinition(id: string, { peer, worker }: RemoteWorker): WorkflowDefinition {
  return completeDefinition({
    id,
    name: `${worker} on ${peer}`,
    version: '1',
    nodes: [{ id: 'remote', typeId: REMOTE_NODE, name: worker, config: { peer, worker } }],
  });
}
