import type { ConnectedModels, ConnectedTools, Performer } from '@baton/agents';
import type { Secrets } from '@baton/engine';
import type { ExtendedDiscovery } from '../discovery/extended.ts';
import type { Routes } from '../http/context.ts';

/** What may be added to a host, beside its engine. The product adds nothing. */
export interface HostExtension extends ExtendedDiscovery {
  /** Further kinds of effects. */
  readonly performers: Readonly<Record<string, Performer>>;
  withModels(models: ConnectedModels): ConnectedModels;
  /** Further routes, secrets and tools, for hosts with `testSeams`. */
  readonly routes: Routes;
  withSecrets(secrets: Secrets): Secrets;
  withTools(tools: ConnectedTools): ConnectedTools;
}
