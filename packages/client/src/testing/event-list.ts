import type { RunEvent } from '@baton/protocol';
import type { OpenQuestion, RunInTree } from './run-types.ts';

const LONGEST = 100;

/** The runs of a tree with their events, one in a line. */
export function eventList(runs: readonly RunInTree[], questions: readonly OpenQuestion[]): string {
  const lists = runs.map(({ runId, workflowId, status, events }, at) =>
    [
      at === 0
        ? `The run of ${workflowId} is ${status}. Its events:`
        : `${runId} of ${workflowId} is ${status}:`,
      ...events.map((event) => `  ${line(event)}`),
    ].join('\n'),
  );
  const waits = questions.map(({ nodeId, kind, runId }) => `  ${kind} at "${nodeId}" of ${runId}`);
  return [...lists, ...(waits.length > 0 ? [['It waits for an answer:', ...waits].join('\n')] : [])].join(
    '\n\n',
  );
}

/** `12  node.failed               write  {"error":…}` */
export function line(event: RunEvent): string {
  const { sequence, type, nodeId = '' } = event;
  const payload = JSON.stringify(withoutNode(event.payload));
  const told = payload === '{}' ? '' : `  ${cut(payload)}`;
  return `${String(sequence).padStart(3)}  ${type.padEnd(26)} ${nodeId}${told}`.trimEnd();
}

/** The node is told already. */
function withoutNode(payload: object): object {
  const { nodeId: _, ...rest } = payload as { readonly nodeId?: string };
  return rest;
}

export function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
