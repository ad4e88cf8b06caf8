import { BatonError, type WorkflowDefinition } from '@baton/protocol';
import type { AgentDefinition } from './agent-definition.ts';

/** What the rules of a host say about a definition. */
export type Validation =
  | { readonly valid: true; readonly warnings: readonly string[] }
  | { readonly valid: false; readonly problem: string; readonly field?: string };

/**
 * Checks of definitions with the rules of a host, in this process. The rules are in `@baton/engine` and `@baton/agents`,
 * which are loaded here and nowhere else in the builder, because a program that only builds workflows does not need them.
 */

/** Checks a workflow as `POST /v1/workflows` does. */
export async function validateWorkflow(definition: WorkflowDefinition): Promise<Validation> {
  const { checkWorkflow } = await loaded(() => import('@baton/engine'), '@baton/engine');
  return judged(() => checkWorkflow(definition).warnings);
}

/**
 * Checks an agent as `POST /v1/agents` does. Needs `@baton/agents`.
 *
 * @example
 * import { type AgentDefinition, validateAgent } from '@baton/client/builder';
 *
 * export async function check(agent: AgentDefinition) {
 *   const result = await validateAgent(agent);
 *   if (!result.valid) console.error(result.problem);
 * }
 */
export async function validateAgent(agent: AgentDefinition): Promise<Validation> {
  const { resolveAgent } = await loaded(() => import('@baton/agents'), '@baton/agents');
  return judged(() => {
    resolveAgent(agent.toJSON());
    return [];
  });
}

function judged(check: () => readonly string[]): Validation {
  try {
    return { valid: true, warnings: check() };
  } catch (error) {
    if (!(error instanceof BatonError)) throw error;
    const { field } = error.details ?? {};
    return { valid: false, problem: error.message, ...(typeof field === 'string' && { field }) };
  }
}

async function loaded<T>(load: () => Promise<T>, name: string): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new Error(`Definitions are checked with the rules in ${name}. Install it beside @baton/client.`, {
      cause,
    });
  }
}
