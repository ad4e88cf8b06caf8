import { BatonError, type WorkflowDefinition } from '@baton/protocol';
import type { RegisterWorkflowCommand } from '../commands.ts';
import { checkDefinition } from '../kernel/graph/registration.ts';
import type { Vault } from '../kernel/secrecy/vault.ts';
import type { NodeTypes } from '../nodes/index.ts';
import { SHARED_TENANT, type Store } from '../ports/store.ts';
import { done, recordOf } from './replies.ts';
import type { Outcome } from './rounds/job.ts';
import type { Toggles } from './toggles.ts';
import { definitionDigest, type Workflows } from './workflows.ts';

/** Checks a definition and stores it as the newest version of its id. Runs under way keep their version. */
export async function registerWorkflow(
  {
    store,
    workflows,
    nodes,
    toggles,
    vault,
  }: { store: Store; workflows: Workflows; nodes: NodeTypes; toggles: Toggles; vault: Vault },
  given: RegisterWorkflowCommand,
  now: number,
): Promise<Outcome> {
  const features = {
    dispatchMapping: toggles.isOn('agents.dispatchMapping'),
    subWorkflowInputMapping: toggles.isOn('subWorkflow.inputMapping'),
  };
  const { definition, warnings } = checkDefinition(given.definition, features, nodes.of, nodes.ids);
  const tenant = given.shared ? SHARED_TENANT : given.caller.tenant;
  refuseSecrets(vault, tenant, definition);
  const replyOf = (version: number, created: boolean) =>
    done({ kind: 'workflow', workflowId: definition.id, version, created, warnings });
  const { idempotency } = given;
  const { version, created } = await store.putWorkflow(
    {
      tenant,
      id: definition.id,
      digest: definitionDigest(definition),
      definition: JSON.stringify(definition),
      createdAt: now,
    },
    idempotency && ((stored) => recordOf(given, idempotency, replyOf(stored, true), now)),
  );
  workflows.forget(tenant, definition.id);
  return { reply: replyOf(version, created) };
}

/** A definition is stored and shown unchanged, so secrets cannot be redacted in it. */
function refuseSecrets(vault: Vault, tenant: string, definition: WorkflowDefinition): void {
  const text = JSON.stringify(definition);
  if ((vault.redactor(tenant)?.redactText(text) ?? text) === text) return;
  throw new BatonError('validation_error', 'workflow: holds the value of a secret; write its id instead');
}
