import { hasEnded, type NodeView, type Views } from './view.ts';

/**
 * Whether a run goes on only after a person has answered: something of the run or its descendants asks a person, and
 * nothing else of them is being worked on.
 */
export function waitsForPerson(runId: string, views: Views): boolean {
  const run = views.get(runId);
  if (run === undefined || hasEnded(run)) return false;
  const open = run.nodes.filter((node) => node.to === undefined);
  return open.length > 0 && open.every((node) => nodeWaits(node, views));
}

function nodeWaits(node: NodeView, views: Views): boolean {
  const open = node.steps.filter((step) => step.to === undefined && step.stream === undefined);
  if (open.length === 0) return false;
  return open.every(
    (step) =>
      step.asksPerson === true || (step.childRunId !== undefined && waitsForPerson(step.childRunId, views)),
  );
}
