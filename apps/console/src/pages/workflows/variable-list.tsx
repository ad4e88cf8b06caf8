import type { WorkflowDefinition } from '@baton/client';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { JsonView } from '../../ui/json-view.tsx';

type Variables = NonNullable<WorkflowDefinition['variables']>;

/** The variables with which a run begins. */
export function VariableList({ variables }: { readonly variables: Variables }) {
  return (
    <Card title="Variables">
      {variables.length === 0 ? (
        <p className="text-sm text-muted">This workflow declares no variables.</p>
      ) : (
        <ul className="flex flex-col gap-4">
          {variables.map((variable) => (
            <li key={variable.name} className="min-w-0">
              <p className="flex flex-wrap items-center gap-2">
                <code className="font-mono text-sm break-all">{variable.name}</code>
                <Badge>{variable.type}</Badge>
                {variable.required === true && <Badge>Required</Badge>}
                {variable.sensitive === true && (
                  <Badge title="The log keeps the value encrypted">Sensitive</Badge>
                )}
              </p>
              {variable.description !== undefined && (
                <p className="text-sm text-muted mt-0.5 break-words">
                  <bdi>{variable.description}</bdi>
                </p>
              )}
              {variable.defaultValue !== undefined && (
                <JsonView name="default" value={variable.defaultValue} />
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
