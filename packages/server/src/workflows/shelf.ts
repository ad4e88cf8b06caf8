import type { StoreReads } from '@baton/engine/ports';
import { type Configurable, invalid, problemByAuthor } from '@baton/protocol';

/**
 * Remembers the `configurableSchema` of registered workflows, so that starting a run does not parse its
 * definition. All registrations go through this process, so it is enough to forget the schemas after each of
 * them.
 */
export interface WorkflowShelf {
  /** Refuses options that the `configurableSchema` of the workflow does not allow. */
  checkConfigurable(tenant: string, workflowId: string, given: Configurable | undefined): void;
  /** Grows with every registration. */
  revision(): number;
  changed(): void;
}

const MAX_REMEMBERED = 10_000;

export function createShelf(reads: Pick<StoreReads, 'workflow'>): WorkflowShelf {
  const schemas = new Map<string, object | null>();
  let revision = 0;

  function schemaOf(tenant: string, workflowId: string): object | null {
    const key = `${tenant}\n${workflowId}`;
    const known = schemas.get(key);
    if (known !== undefined) return known;
    const workflow = reads.workflow(tenant, workflowId);
    if (workflow === undefined) return null;
    if (schemas.size >= MAX_REMEMBERED) schemas.clear();
    const { configurableSchema } = JSON.parse(workflow.definition) as {
      readonly configurableSchema?: object;
    };
    const schema = configurableSchema ?? null;
    schemas.set(key, schema);
    return schema;
  }

  return {
    checkConfigurable(tenant, workflowId, given) {
      const schema = schemaOf(tenant, workflowId);
      if (schema === null) return;
      const problem = problemByAuthor(schema, given ?? {});
      if (problem !== undefined) throw invalid('configurable', problem);
    },
    revision: () => revision,
    changed() {
      revision += 1;
      schemas.clear();
    },
  };
}
