import type { StoreReads } from '@baton/engine/ports';
import { BatonError, type Configurable, invalid, problemWith } from '@baton/protocol';

/**
 * What the host remembers of registered workflows, so that starting a run does not read and parse its
 * definition. All registrations go through this process, so forgetting on each is enough.
 */
export interface WorkflowShelf {
  /** Refuses options that the workflow's own `configurableSchema` does not allow. */
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
    const schema = configurableSchema(JSON.parse(workflow.definition));
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

/** Labels are left out: they constrain nothing, and two versions of a workflow may carry the same ones. */
function configurableSchema(definition: { readonly configurableSchema?: object }): object | null {
  if (definition.configurableSchema === undefined) return null;
  const { $id: _id, $schema: _schema, ...schema } = definition.configurableSchema as Record<string, unknown>;
  return schema;
}

/** Throws a `validation_error` when the definition's schema for options is itself not a schema. */
export function checkConfigurableSchema(definition: { readonly configurableSchema?: object }): void {
  const schema = configurableSchema(definition);
  if (schema !== null) problemByAuthor(schema, {});
}

function problemByAuthor(schema: object, value: unknown) {
  try {
    return problemWith(schema, value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BatonError('validation_error', `The workflow's configurableSchema is not usable: ${reason}`, {
      field: 'configurableSchema',
    });
  }
}
