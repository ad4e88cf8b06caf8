import type { WorkflowDefinition } from '@baton/protocol';
import type { CallOptions, CommandOptions, Connection } from './http/connection.ts';
import type { Answer, Query } from './http/contract-types.ts';
import { ask } from './http/request.ts';

export type WorkflowEntry = Answer<'listWorkflows'>['workflows'][number];

export type WorkflowVersion = Answer<'listWorkflowVersions'>['versions'][number];
export type WorkflowCheck = Answer<'validateWorkflow'>;

export interface Workflows {
  /** Registers a workflow, or a new version of it. The same definition again makes no new version. */
  register(definition: WorkflowDefinition, options?: CommandOptions): Promise<Answer<'registerWorkflow'>>;
  /** The workflows that the key may run. */
  list(options?: CallOptions): Promise<readonly WorkflowEntry[]>;
  /** A workflow as it is run, or the version of it that `version` names. */
  read(workflowId: string, options?: Query<'readWorkflow'> & CallOptions): Promise<WorkflowDefinition>;
  /** The versions of a workflow, newest first. The list is complete when it ends with version 1. */
  versions(
    workflowId: string,
    options?: Query<'listWorkflowVersions'> & CallOptions,
  ): Promise<readonly WorkflowVersion[]>;
  /** Checks a definition with the rules of the host, and stores nothing. Every JSON object can be checked. */
  validate(definition: object, options?: CallOptions): Promise<WorkflowCheck>;
}

export function workflows(connection: Connection): Workflows {
  return {
    register: (definition, options) => ask(connection, 'registerWorkflow', { body: definition, ...options }),
    list: async (options) => (await ask(connection, 'listWorkflows', options)).workflows,
    read: (workflowId, { signal, ...query } = {}) =>
      ask(connection, 'readWorkflow', { params: { workflowId }, query, signal }),
    versions: async (workflowId, { signal, ...query } = {}) =>
      (await ask(connection, 'listWorkflowVersions', { params: { workflowId }, query, signal })).versions,
    validate: (definition, options) => ask(connection, 'validateWorkflow', { body: definition, ...options }),
  };
}
