import type { Json } from '@baton/protocol';
import type { EffectOutcomeCommand } from '../../commands.ts';
import { foldStored } from '../../fold.ts';
import { sealFor, sealMembers, sensitivePorts } from '../../kernel/secrecy/sensitivity.ts';
import type { Vault } from '../../kernel/secrecy/vault.ts';
import type { LateOutcome, Store } from '../../ports/store.ts';
import type { Workflows } from '../workflows.ts';

/**
 * An outcome that came after the run ended is stored outside the log, sealed and redacted like an event.
 * `undefined` when the run was erased or purged, because nothing new is stored for such a run.
 */
export async function lateOutcomeOf(
  { store, workflows, vault }: { store: Store; workflows: Workflows; vault: Vault },
  { key, runId, nodeId, outcome }: EffectOutcomeCommand,
  at: number,
): Promise<LateOutcome | undefined> {
  const stored = await store.storedRun(runId);
  if (stored === undefined || stored.row.erasedAt !== undefined) return undefined;
  const { tenant, definition } = foldStored(stored);
  const { sensitivity } = await workflows.plan(definition);
  const told =
    outcome.kind === 'done' && sensitivity
      ? {
          ...outcome,
          outputs: sealMembers(sensitivePorts(sensitivity, nodeId), sealFor(vault, tenant), outcome.outputs),
        }
      : outcome;
  const recorded = told as unknown as Json;
  return { key, runId, outcome: vault.redactor(tenant)?.redactJson(recorded) ?? recorded, at };
}
