import type { UsageHistory } from '@baton/client';
import { baton } from '../../../api/baton.ts';

/** What the tenant and its agents used in the last 30 days. */
export function readUsageHistory(signal: AbortSignal): Promise<UsageHistory> {
  return baton.usageHistory({ days: 30, by: 'agent', signal });
}
