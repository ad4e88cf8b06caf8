import { BatonError, type WorkflowDefinition } from '@baton/protocol';
import type { RegisterAgentCommand, RegisterWorkflowCommand } from '../commands.ts';
import type { Features } from '../kernel/graph/registration.ts';
import type { Vault } from '../kernel/secrecy/vault.ts';
import type { NodeTypes } from '../nodes/index.ts';
import { SHARED_TENANT, type Store } from '../ports/store.ts';
import { checkAgent, checkWorkflow } from './check-workflow.ts';
import { done, recordOf } from './replies.ts';
import type { Outcome } from './rounds/job.ts';
import { definitionDigest } from './workflows.ts';

/** What the rules of a host for definitions depend on. */
export interface RegistrationRules {
  readonly nodes: NodeTypes;
  /** Whether the engine has a capability. */
  readonly isOn: (capability: string) => boolean;
  readonly vault: Vault;
}

export function featuresOf(isOn: RegistrationRules['isOn']): Features {
  return {
    dispatchMapping: isOn('agents.dispatchMapping'),
    subWorkflowInputMapping: isOn('subWorkflow.inputMapping'),
  };
}

/** Checks a definition and stores it as the newest version of its id. Runs under way keep their version. */
export async function registerWorkflow(
  { store, nodes, isOn, vault }: RegistrationRules & { readonly store: Store },
  given: RegisterWorkflowCommand,
  now: number,
): Promise<Outcome> {
  const { definition, warnings } = checkWorkflow(given.definition, nodes, featuresOf(isOn));
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
  const definition = checkAgent(given.agent);
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
  const digest = definitionDigest(definition);
  if (given.onlyNew === true && (await store.isRegistered(tenant, definition.id, digest))) {
    const newest = await store.workflow(tenant, definition.id);
    return { reply: replyOf(newest?.version ?? 1, false) };
  }
  const { version, created } = await store.putWorkflow(
    {
      tenant,
      id: definition.id,
      digest,
      definition: JSON.stringify(definition),
      createdAt: now,
    },
    idempotency && ((stored) => recordOf(given, idempotency, replyOf(stored, true), now)),
  );
  return { reply: replyOf(version, created) };
}

function refuseSecrets(...asked: Parameters<typeof secretIn>): void {
  const problem = secretIn(...asked);
  if (problem) throw problem;
}

/** A definition is stored and shown unchanged, so secrets cannot be redacted in it. */
export function secretIn(
  vault: Vault,
  tenant: string,
  definition: WorkflowDefinition,
  what: string,
): BatonError | undefined {
  const text = JSON.stringify(definition);
  if ((vault.redactor(tenant)?.redactText(text) ?? text) === text) return undefined;
  return new BatonError('validation_error', `${what}: holds the value of a secret; write its id instead`);
}
