import { BatonError, invalid, type WorkflowDefinition } from '@baton/protocol';
import type { RegisterAgentCommand, RegisterWorkflowCommand } from '../commands.ts';
import { tooLargeDefinition } from '../kernel/graph/bounds.ts';
import type { Vault } from '../kernel/secrecy/vault.ts';
import { agentDefinition } from '../nodes/agent/agent-definition.ts';
import type { NodeTypes } from '../nodes/index.ts';
import { SHARED_TENANT, type Store } from '../ports/store.ts';
import { checkWorkflow } from './check-workflow.ts';
import { done, recordOf } from './replies.ts';
import type { Outcome } from './rounds/job.ts';
import type { Toggles } from './toggles.ts';
import { definitionDigest } from './workflows.ts';

/** Checks a definition and stores it as the newest version of its id. Runs under way keep their version. */
export async function registerWorkflow(
  { store, nodes, toggles, vault }: { store: Store; nodes: NodeTypes; toggles: Toggles; vault: Vault },
  given: RegisterWorkflowCommand,
  now: number,
): Promise<Outcome> {
  const { definition, warnings } = checkWorkflow(given.definition, nodes, {
    dispatchMapping: toggles.isOn('agents.dispatchMapping'),
    subWorkflowInputMapping: toggles.isOn('subWorkflow.inputMapping'),
  });
  const tenant = given.shared ? SHARED_TENANT : given.caller.tenant;
  refuseSecrets(vault, tenant, definition, 'workflow');
  return put(store, given, tenant, definition, warnings, now);
}

/** Stores an agent as the newest version of its id: as the workflow that runs it. */
export async function registerAgent(
  { store, vault }: { store: Store; vault: Vault },
  given: RegisterAgentCommand,
  now: number,
): Promise<Outcome> {
  const definition = agentDefinition(given.agent);
  const large = tooLargeDefinition(definition);
  if (large) throw invalid('agent', large);
  const tenant = given.shared ? SHARED_TENANT : given.caller.tenant;
  refuseSecrets(vault, tenant, definition, 'agent');
  return put(store, given, tenant, definition, [], now);
}

async function put(
  store: Store,
  given: RegisterWorkflowCommand | RegisterAgentCommand,
  tenant: string,
  definition: WorkflowDefinition,
  warnings: readonly string[],
  now: number,
): Promise<Outcome> {
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
  return { reply: replyOf(version, created) };
}

/** A definition is stored and shown unchanged, so secrets cannot be redacted in it. */
function refuseSecrets(vault: Vault, tenant: string, definition: WorkflowDefinition, what: string): void {
  const text = JSON.stringify(definition);
  if ((vault.redactor(tenant)?.redactText(text) ?? text) === text) return;
  throw new BatonError('validation_error', `${what}: holds the value of a secret; write its id instead`);
}
