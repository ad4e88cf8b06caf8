import type { RunEvent } from '@baton/protocol';
import { printable } from '../output/printable.ts';
import { foldEvent } from './fold-event.ts';
import { newView, type RunView, shortId } from './view.ts';

/**
 * One line of text for an event, for outputs that are no terminal. Events of child runs have the end of their id, such
 * as `.3`, in front. Events that the tree does not show have no line.
 * The line is what the event changes in the view of its run, so that the lines and the tree never disagree.
 */
export function eventLine(rootId: string, event: RunEvent, before: RunView | undefined): string | undefined {
  const view = before ?? newView(event.runId);
  const text = told(view, foldEvent(view, event), event);
  if (text === undefined) return undefined;
  const time = event.timestamp.slice(11, 19);
  const child = event.runId === rootId ? '' : `${shortId(event.runId)}  `;
  return printable(`${time}  ${child}${text}`).replace(/\s*\n\s*/g, ' ');
}

function told(before: RunView, after: RunView, event: RunEvent): string | undefined {
  if (after.status !== before.status) {
    const why = after.why === undefined ? '' : `: ${after.why}`;
    const started = `started as ${after.runId}`;
    return `${after.workflowId} ${event.type === 'run.started' ? started : after.status}${why}`;
  }
  const { nodeId } = event;
  if (nodeId === undefined) return undefined;
  const node = after.nodes.findLast((one) => one.nodeId === nodeId);
  const known = before.nodes.findLast((one) => one.nodeId === nodeId);
  if (node === undefined || node === known) return undefined;
  const step = node.steps.find((one) => !known?.steps.includes(one));
  if (step !== undefined && known !== undefined) {
    const child = step.childRunId === undefined ? '' : ` ${shortId(step.childRunId)}`;
    return `${nodeId}: ${step.text}${child} [${step.mark}]`;
  }
  return `${nodeId}${node.text === '' ? '' : `: ${node.text}`} [${node.mark}]`;
}
