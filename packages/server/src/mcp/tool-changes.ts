import type { StoreChange } from '@baton/engine/ports';
import type { Identity } from '../auth/identity.ts';
import { publishedTo } from '../peers/published.ts';
import { workflowOf } from '../published/skills.ts';
import type { HostSettings } from '../settings.ts';

/** Whether a caller is shown other tools after a change. */
export function changesTools(
  change: StoreChange,
  identity: Identity,
  settings: Pick<HostSettings, 'publish'>,
): boolean {
  switch (change.kind) {
    case 'missed':
      return true;
    case 'peer':
      return identity.peer?.name === change.name;
    case 'workflow': {
      const isShown = change.tenant === '*' || change.tenant === identity.tenant;
      return isShown && [...publishedTo(identity, settings)].some((id) => workflowOf(id) === change.id);
    }
    case 'moved':
    case 'session':
    case 'scope':
    case 'key':
    case 'secret':
    case 'webhook':
    case 'remote-cancel':
    case 'log':
      return false;
  }
}
