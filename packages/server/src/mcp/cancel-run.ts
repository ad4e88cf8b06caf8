import { BatonError } from '@baton/protocol';
import { refusal } from '../http/errors.ts';
import type { McpCall } from './call.ts';

/** Cancels a run, if the caller may. A run that has ended stays as it is. */
export async function cancelRun({ host, identity }: McpCall, runId: string, reason: string): Promise<void> {
  const { tenant, principal, scopes } = identity;
  if (!scopes.has('runs:cancel')) return;
  const outcome = await host.engine.execute({
    kind: 'cancel-run',
    caller: { tenant, principal },
    runId,
    reason,
  });
  if (outcome.ok) return;
  const refused = refusal(outcome.error);
  if (!(refused instanceof BatonError) || refused.code !== 'run_terminal') throw refused;
}
