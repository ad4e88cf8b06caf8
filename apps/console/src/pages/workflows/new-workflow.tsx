import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Page } from '../../ui/page.tsx';
import { DefinitionEditor } from './definition-editor.tsx';

/** A small workflow that works, to begin with. */
const TEMPLATE = `{
  "id": "my-workflow",
  "name": "My workflow",
  "nodes": [
    { "id": "ask", "typeId": "core.approvalGate", "config": { "title": "Go on?" } },
    { "id": "done", "typeId": "core.noop" }
  ],
  "edges": [{ "sourceNodeId": "ask", "targetNodeId": "done" }],
  "variables": []
}
`;

export function NewWorkflow({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <Page
      title="New workflow"
      description={
        <>
          Write the definition as JSON. <Kbd>Ctrl</Kbd> <Kbd>Space</Kbd> suggests what can be written at the
          cursor.
        </>
      }
      actions={<Button onClick={onClose}>Back to the workflows</Button>}
    >
      <DefinitionEditor
        initial={TEMPLATE}
        isNew
        mayWrite
        onRegistered={(workflowId) => void navigate({ to: '/workflows/$workflowId', params: { workflowId } })}
      />
    </Page>
  );
}
