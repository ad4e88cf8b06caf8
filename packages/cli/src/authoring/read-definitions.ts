import { readFileSync, statSync } from 'node:fs';
import { isAgent, workflowFiles } from '@baton/server/workflows-folder';
import { CommandFailure } from '../output/command-failure.ts';
import { EXIT } from '../output/exit-codes.ts';

/** A file of a workflow: its definition, or the reason why it could not be read. */
export type ReadFile =
  | { readonly source: string; readonly definition: unknown }
  | { readonly source: string; readonly problem: string };

/** The workflow of a file, or all workflows of a folder. A folder may hold agents too, which are left out. */
export function readDefinitions(path: string): readonly ReadFile[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new CommandFailure(`There is no file or folder ${path}.`, {
      exit: EXIT.notFound,
      code: 'not_found',
      hint: 'Give the path of a workflow as JSON, or of a folder of workflows.',
    });
  }
  if (!found.isDirectory()) return [readDefinition(path)];
  const files = workflowFiles(path)
    .map(readDefinition)
    .filter((file) => !('definition' in file && isAgent(file.definition)));
  if (files.length > 0) return files;
  throw new CommandFailure(`There is no workflow in ${path}.`, {
    exit: EXIT.notFound,
    code: 'not_found',
    hint: 'Workflows are the JSON files of a folder, and workflow.json and *.workflow.json of its subfolders.',
  });
}

/** The only workflow of a file. */
export function readOne(path: string): unknown {
  const file = readDefinition(path);
  if ('definition' in file) return file.definition;
  throw new CommandFailure(`${file.source}: ${file.problem}`, { code: 'validation_error' });
}

function readDefinition(source: string): ReadFile {
  const text = readFileSync(source, 'utf8');
  try {
    return { source, definition: JSON.parse(text) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { source, problem: `is not valid JSON: ${withPlace(message, text)}` };
  }
}

/** The line and the column in place of the position, which the parser counts from the start of the text. */
function withPlace(message: string, text: string): string {
  const [whole, position] = /\s*(?:in JSON )?at position (\d+)(?: \(line.*\))?/.exec(message) ?? [];
  if (whole === undefined) return message;
  const before = text.slice(0, Number(position)).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${message.replace(whole, '')}`;
}
