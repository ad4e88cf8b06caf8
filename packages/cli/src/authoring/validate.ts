import { checkWorkflow } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { fieldPlace } from './field-place.ts';
import { type ReadFile, readDefinitions } from './read-definitions.ts';

/** What the rules of a host say about a file. */
interface Validated {
  readonly source: string;
  readonly valid: boolean;
  readonly workflowId?: string;
  readonly problem?: string;
  /** The place of the problem in words, and as the host names it. */
  readonly at?: string;
  readonly field?: string;
  readonly warnings: readonly string[];
}

/** Checks workflows with the rules of a host, without a host. */
export function validateWorkflows(path: string, out: Output): ExitCode {
  const results = readDefinitions(path).map(validated);
  for (const result of results) out.give(result, asText(result, out));
  return results.every(({ valid }) => valid) ? EXIT.done : EXIT.failed;
}

export function validated(file: ReadFile): Validated {
  if ('problem' in file) return { ...file, valid: false, warnings: [] };
  const { source } = file;
  try {
    const { definition, warnings } = checkWorkflow(file.definition);
    return { source, valid: true, workflowId: definition.id, warnings };
  } catch (error) {
    if (!(error instanceof BatonError)) throw error;
    const { field } = error.details ?? {};
    if (typeof field !== 'string') return { source, valid: false, problem: error.message, warnings: [] };
    const at = fieldPlace(file.definition, field);
    return { source, valid: false, problem: withoutField(error.message, field), at, field, warnings: [] };
  }
}

/** The messages of the host begin with the field, which is told in other words here. */
function withoutField(message: string, field: string): string {
  const text = message.replace(/^workflow: /, '');
  return text.startsWith(field) ? text.slice(field.length).replace(/^[\s.:]+/, '') : text;
}

export function asText(
  { source, valid, workflowId, problem, at, warnings }: Validated,
  { paint }: Pick<Output, 'paint'>,
): string {
  const place = at === undefined ? '' : `${at}: `;
  const first = valid
    ? `${paint.green('✓')} ${source}: the workflow "${workflowId}" is valid`
    : `${paint.red('✗')} ${source}: ${place}${problem}`;
  return [first, ...warnings.map((warning) => `  ${paint.yellow('!')} ${warning}`)].join('\n');
}
