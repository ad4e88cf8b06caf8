import type { WorkflowDefinition } from '@baton/protocol';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';
import { readDefinitions } from './read-definitions.ts';
import { asText, validated } from './validate.ts';

/** Registers the workflow of a file, or all workflows of a folder. Nothing is sent when one of them is not valid. */
export async function pushWorkflows({ baton, out }: Session, path: string): Promise<ExitCode> {
  const files = readDefinitions(path);
  const wrong = files.map(validated).filter(({ valid }) => !valid);
  for (const one of wrong) out.give(one, asText(one, out));
  if (wrong.length > 0) {
    out.note('Nothing was registered.');
    return EXIT.failed;
  }
  for (const file of files) {
    if (!('definition' in file)) continue;
    const {
      workflowId,
      version,
      warnings = [],
    } = await baton.workflows.register(file.definition as WorkflowDefinition);
    out.give(
      { source: file.source, workflowId, version, warnings },
      `${out.paint.green('✓')} ${workflowId}, version ${version} (${file.source})`,
    );
    for (const warning of warnings) out.note(`  ${out.paint.yellow('!')} ${warning}`);
  }
  return EXIT.done;
}
