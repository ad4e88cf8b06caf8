import { type BatonError, isJsonObject } from '@baton/protocol';
import type { CheckWorkflowCommand, DefinitionProblem } from '../commands.ts';
import { judgeWorkflow } from './check-workflow.ts';
import { featuresOf, type RegistrationRules, secretIn } from './register.ts';
import { done } from './replies.ts';
import type { Outcome } from './rounds/job.ts';

/** What a registration of the definition for the tenant of the caller would say. Nothing is stored. */
export function dryRunRegistration(
  { nodes, isOn, vault }: RegistrationRules,
  { caller, definition: given }: CheckWorkflowCommand,
): Outcome {
  const { definition, problems, warnings } = judgeWorkflow(given, nodes, featuresOf(isOn));
  const secret = definition && secretIn(vault, caller.tenant, definition, 'workflow');
  const all = secret ? [...problems, secret] : problems;
  return {
    reply: done({
      kind: 'checked',
      problems: all.map((problem) => problemIn(given, problem)),
      warnings: secret ? [] : warnings,
    }),
  };
}

/** The messages of registrations begin with the word `workflow`, which says nothing here. */
function problemIn(given: unknown, { message, details }: BatonError): DefinitionProblem {
  const path = details?.field;
  const nodeId = typeof path === 'string' ? nodeAt(given, path) : undefined;
  return {
    ...(typeof path === 'string' && path !== '' && { path }),
    ...(nodeId !== undefined && { nodeId }),
    message: message.replace(/^workflow: /, ''),
  };
}

/** The id of the node that a field such as `nodes.1.config` belongs to, in a definition of any form. */
function nodeAt(given: unknown, path: string): string | undefined {
  const [list, index = ''] = path.split('.');
  if (list !== 'nodes' || !isJsonObject(given) || !Array.isArray(given.nodes)) return undefined;
  const node: unknown = given.nodes[Number(index)];
  return isJsonObject(node) && typeof node.id === 'string' ? node.id : undefined;
}
