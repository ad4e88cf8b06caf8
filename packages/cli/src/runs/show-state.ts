import type { RunState } from '@baton/client';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Paint } from '../output/output.ts';
import { printableLine } from '../output/printable.ts';
import type { Session } from '../session.ts';
import { sequenceOf } from './fork-run.ts';
import { withKnownRun } from './known-names.ts';
import { statusText, variableLines } from './run-text.ts';

/** `baton state`: a run as it was before one of its events, or as it is now. */
export async function showState(session: Session, runId: string): Promise<ExitCode> {
  const { baton, out } = session;
  const { at } = session.flags as { readonly at?: string };
  const state = await withKnownRun(session, runId, (id) =>
    at === undefined ? baton.run(id).state() : baton.run(id).stateAt(sequenceOf(at)),
  );
  out.give(state, stateText(state, out.paint));
  return EXIT.done;
}

function stateText(state: RunState, paint: Paint): string {
  const nodes = Object.entries(state.nodeStates as Record<string, { readonly status?: string }>);
  return [
    `${paint.bold(state.runId)}  ${statusText(state.status, paint)}  ${paint.dim(`before event ${state.at}`)}`,
    ...section('variables', variableLines(state.variables, paint), paint),
    ...section(
      'nodes',
      nodes.map(([id, node]) => `  ${printableLine(id)}: ${statusText(node.status ?? '', paint)}`),
      paint,
    ),
    ...section('memory', variableLines(state.memory, paint), paint),
  ].join('\n');
}

function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return lines.length === 0 ? [] : [paint.dim(title), ...lines];
}
