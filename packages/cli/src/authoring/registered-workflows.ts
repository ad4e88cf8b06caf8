import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { printable } from '../output/printable.ts';
import { withKnownWorkflow } from '../runs/known-names.ts';
import type { Session } from '../session.ts';

/** The workflows that a host has. */

export async function listWorkflows({ baton, out }: Session): Promise<ExitCode> {
  const workflows = await baton.workflows.list();
  if (out.form === 'json') {
    for (const workflow of workflows) out.give(workflow, '');
    return EXIT.done;
  }
  if (workflows.length === 0)
    out.note('There are no workflows yet; "baton workflows push <file>" registers one.');
  else
    out.give(
      workflows,
      columns([
        ['WORKFLOW', 'VERSION', 'REGISTERED (UTC)', 'FOR'],
        ...workflows.map(({ workflowId, version, createdAt, shared }) => [
          workflowId,
          String(version),
          createdAt.slice(0, 16).replace('T', ' '),
          shared ? 'all tenants' : 'this tenant',
        ]),
      ]),
    );
  return EXIT.done;
}

/** The definition as JSON, so that it can be saved, changed and pushed again. */
export async function showWorkflow(session: Session, workflowId: string): Promise<ExitCode> {
  const { baton, out } = session;
  const definition = await withKnownWorkflow(session, workflowId, () => baton.workflows.read(workflowId));
  out.give(definition, printable(JSON.stringify(definition, null, 2)));
  return EXIT.done;
}
