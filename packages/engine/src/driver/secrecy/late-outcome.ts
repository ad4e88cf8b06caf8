import type { Json } from '@baton/protocol';
import type { EffectOutcomeCommand } from '../../commands.ts';
import { foldStored } from '../../fold.ts';
import { sealFor, sealMembers, sensitivePorts } from '../../kernel/secrecy/sensitivity.ts';
import type { Vault } from '../../kernel/secrecy/vault.ts';
import { lateWork } from '../../nodes/remote/left-work.ts';
import type { Slice, Store } from '../../ports/store.ts';
import type { Workflows } from '../workflows.ts';

/**
 * An outcome that came after the run ended is stored outside the log, sealed and redacted like an event. If it tells of
 * work that has begun on another host, that host is told to cancel it.
 * `undefined` when the run was erased or purged, because nothing new is stored for such a run.
 */
export async function lateOutcomeOf(
  { store, workflows, vault }: { store: Store; workflows: Workflows; vault: Vault },
  { key, runId, nodeId, outcome }: EffectOutcomeCommand,
  at: number,
): Promise<Pick<Slice, 'lateOutcome' | 'cancels'> | undefined> {
  const stored = await store.storedRun(runId);
  if (stored === undefined || stored.row.erasedAt !== undefined) return undefined;
  const run = foldStored(stored);
  const { tenant, definition } = run;
  const left = outcome.kind === 'done' ? lateWork(run, outcome.outputs, at) : undefined;
  const { sensitivity } = await workflows.plan(definition);
  const told =
    outcome.kind === 'done' && sensitivity
      ? {
          ...outcome,
          outputs: sealMembers(sensitivePorts(sensitivity, nodeId), sealFor(vault, tenant), outcome.outputs),
        }
      : outcome;
  const recorded = told as unknown as Json;
  return {
    lateOutcome: { key, runId, outcome: vault.redactor(tenant)?.redactJson(recorded) ?? recorded, at },
    ...(left && { cancels: [left] }),
  };
}
