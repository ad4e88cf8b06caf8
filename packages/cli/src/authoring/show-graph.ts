import { existsSync } from 'node:fs';
import type { WorkflowDefinition } from '@baton/protocol';
import { problemWith, WorkflowDefinition as Schema } from '@baton/protocol';
import { drawText } from '../graph/draw-text.ts';
import { type Graph, graphOf } from '../graph/graph.ts';
import { toMermaid } from '../graph/mermaid.ts';
import { toSvg } from '../graph/svg.ts';
import { CommandFailure } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { withKnownWorkflow } from '../runs/known-names.ts';
import type { Session } from '../session.ts';
import type { Flags } from '../settings/given.ts';
import { fieldPlace } from './field-place.ts';
import { readOne } from './read-definitions.ts';

const USUAL_WIDTH = 80;

/** Draws the workflow of a file, or one that the host has. */
export async function showGraph(session: Session, name: string): Promise<ExitCode> {
  const { baton, out, flags } = session;
  const definition = isFile(name)
    ? readForDrawing(name)
    : await withKnownWorkflow(session, name, () => baton.workflows.read(name));
  const graph = graphOf(definition);
  const { form, text } = drawing(graph, flags);
  out.give({ workflowId: definition.id, form, drawing: text }, text);
  return EXIT.done;
}

function isFile(name: string): boolean {
  return name.endsWith('.json') || name.includes('/') || existsSync(name);
}

function drawing(graph: Graph, flags: Flags): { readonly form: string; readonly text: string } {
  if (flags.mermaid === true) return { form: 'mermaid', text: toMermaid(graph).trimEnd() };
  if (flags.svg === true) return { form: 'svg', text: toSvg(graph).trimEnd() };
  const width = typeof flags.width === 'string' ? Number(flags.width) : process.stdout.columns;
  return { form: 'text', text: drawText(graph, width > 0 ? width : USUAL_WIDTH) };
}

/** Only the form is checked, so that an author can look at a workflow that a host would still refuse. */
function readForDrawing(path: string): WorkflowDefinition {
  const definition = existsSync(path) ? readOne(path) : undefined;
  if (definition === undefined) {
    throw new CommandFailure(`There is no file ${path}.`, { exit: EXIT.notFound, code: 'not_found' });
  }
  const problem = problemWith(Schema, definition);
  if (problem === undefined) return definition as WorkflowDefinition;
  const place = problem.field === '' ? '' : `${fieldPlace(definition, problem.field)}: `;
  throw new CommandFailure(`${path}: ${place}${problem.problem}`, {
    code: 'validation_error',
    hint: `"baton workflows validate ${path}" checks all rules.`,
  });
}
