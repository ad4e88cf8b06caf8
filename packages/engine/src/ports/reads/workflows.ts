export interface WorkflowRecord {
  /** `*` for workflows that every tenant may run. */
  readonly tenant: string;
  readonly id: string;
  /** Counts registrations of this id, from 1. */
  readonly version: number;
  readonly digest: string;
  readonly definition: string;
  readonly createdAt: number;
}

export const SHARED_TENANT = '*';

export interface WorkflowReads {
  /** The newest version that the tenant may run: its own, or else the shared one. */
  workflow(tenant: string, id: string): Promise<WorkflowRecord | undefined>;
  /** The version that was the newest at this time, or else the first later one; the own one before the shared one. */
  workflowAsOf(tenant: string, id: string, at: number): Promise<WorkflowRecord | undefined>;
  workflows(tenant: string): Promise<readonly WorkflowRecord[]>;
}

/** A version of a workflow, without its definition. */
export type WorkflowVersion = Pick<WorkflowRecord, 'version' | 'digest' | 'createdAt'>;

/** The versions of the own workflow of a tenant, or else of the shared one. */
export interface WorkflowVersionReads {
  /** At most `limit` versions with numbers below `before`, newest first. */
  workflowVersions(
    tenant: string,
    id: string,
    before: number,
    limit: number,
  ): Promise<readonly WorkflowVersion[]>;
  workflowVersion(tenant: string, id: string, version: number): Promise<WorkflowRecord | undefined>;
}

export interface DefinitionReads {
  /**
   * The definition of a run, by the digest in its log. Never call it with a digest from a caller: it does not
   * check the tenant.
   */
  definition(digest: string): Promise<string | undefined>;
}
