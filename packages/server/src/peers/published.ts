import type { Identity } from '../auth/identity.ts';
import type { HostSettings } from '../settings.ts';

/**
 * The workflows and agents that a caller of A2A or MCP may use, by the ids with which workers are named
 * (`translate`, `local.acme.writer`). The operator publishes to everybody with `BATON_PUBLISH`, and to one peer
 * with `baton peers add --publish`. Whatever is in neither list does not exist for the caller.
 */
export function publishedTo(
  identity: Pick<Identity, 'peer'>,
  settings: Pick<HostSettings, 'publish'>,
): ReadonlySet<string> {
  return new Set([...(settings.publish ?? []), ...(identity.peer?.publishes ?? [])]);
}
