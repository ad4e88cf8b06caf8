import type { WorkflowDefinition } from '@baton/protocol';
import type { CallOptions, CommandOptions, Connection } from './http/connection.ts';
import type { Answer } from './http/contract-types.ts';
import { ask } from './http/request.ts';

export type WorkflowEntry = Answer<'listWorkflows'>['workflows'][number];

export interface Workflows {
  /** Registers a workflow, or a new version of it. The same definition again makes no new version. */
  register(definition: WorkflowDefinition, options?: CommandOptions): Promise<Answer<'registerWorkflow'>>;
  /** The workflows that the key may run. */
  list(options?: CallOptions): Promise<readonly WorkflowEntry[]>;
  /** A workflow as it is run. */
  read(workflowId: string, options?: CallOptions): Promise<WorkflowDefinition>;
}

export function workflows(connection: Connection): Workflows {
  return {
    register: (definition, options) => ask(connection, 'registerWorkflow', { body: definition, ...options }),
    list: async (options) => (await ask(connection, 'listWorkflows', options)).workflows,
    read: (workflowId, options) => ask(connection, 'readWorkflow', { params: { workflowId }, ...options }),
  };
}
