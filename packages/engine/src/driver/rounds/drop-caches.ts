import { rootRunId } from '@baton/protocol';
import { WORKSPACE_SCOPE } from '../../kernel/memory/turn-inputs.ts';
import type { StoreChange } from '../../ports/changes.ts';
import type { Workplace } from './work-context.ts';

type Caches = Pick<Workplace, 'workflows' | 'workspaces' | 'trees'>;

/**
 * Drops what the engine remembers of data that has changed. A tree in memory may be behind the stored one: the
 * store refuses a slice that was computed from it.
 */
export function dropCaches({ workflows, workspaces, trees }: Caches, change: StoreChange): void {
  switch (change.kind) {
    case 'workflow':
      workflows.forget(change.tenant, change.id);
      break;
    case 'scope':
      if (change.scope === WORKSPACE_SCOPE) workspaces.forget(change.tenant);
      break;
    case 'log':
      trees.evict(change.runId);
      break;
    case 'missed':
      workflows.forgetAll();
      workspaces.forgetAll();
      break;
    case 'moved':
      for (const { runId } of change.runs) trees.evict(rootRunId(runId));
      break;
    case 'key':
    case 'secret':
      break;
  }
}
