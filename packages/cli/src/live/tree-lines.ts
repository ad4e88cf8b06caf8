import type { Paint } from '../output/output.ts';
import { printable, printableLine } from '../output/printable.ts';
import { cutEnd, cutStart, padTo, textWidth } from '../output/text-width.ts';
import { durationText, usageText } from './amounts.ts';
import {
  hasEnded,
  type Mark,
  type NodeView,
  type RunView,
  type StepView,
  shortId,
  type Views,
} from './view.ts';
import { waitsForPerson } from './waiting.ts';

/** The live tree as lines, computed from the views of the runs, the time and the width of the screen. */

const SIGNS: { readonly [mark in Mark]: string } = {
  running: '●',
  done: '✓',
  failed: '✗',
  waiting: '◆',
  again: '↻',
  'left-out': '–',
};

const CONNECTION_LOST = 'connection lost, trying again';

/** A wider line is hard to read, because its times are far from its texts. */
const WIDEST = 120;

interface Drawing {
  readonly views: Views;
  readonly now: number;
  readonly width: number;
  readonly paint: Paint;
  readonly isConnected: boolean;
}

export function treeLines(
  rootId: string,
  views: Views,
  now: number,
  columns: number,
  paint: Paint,
  isConnected = true,
): string[] {
  const root = views.get(rootId);
  if (root === undefined) return [];
  const width = Math.max(20, Math.min(columns, WIDEST));
  const drawing: Drawing = { views, now, width, paint, isConnected };
  return [...headLines(root, drawing), ...nodeLines(root, '', drawing)];
}

function headLines(root: RunView, drawing: Drawing): string[] {
  const { now, width, paint, views, isConnected } = drawing;
  const waits = waitsForPerson(root.runId, views);
  const mark: Mark = waits ? 'waiting' : markOf(root);
  const status = waits ? 'waits for a person' : root.status;
  const elapsed = root.from === undefined ? '' : durationText((root.to ?? now) - root.from);
  // In the second line, which is also shown where the tree is taller than the screen.
  const link = isConnected ? '' : CONNECTION_LOST;
  const facts = [link, status, elapsed, usageText(root.usage)].filter((fact) => fact !== '').join(' · ');
  const title = printableLine(root.workflowId);
  const room = width - 2 - textWidth(root.runId) - 2;
  const why = root.why === undefined ? [] : [cutEnd(`  ${printableLine(root.why)}`, width)];
  return [
    `${signOf(mark, paint)} ${paint.bold(cutEnd(title, Math.max(room, 8)))}  ${paint.dim(root.runId)}`,
    `  ${(isConnected ? coloured(mark, paint) : paint.yellow)(cutEnd(facts, width - 2))}`,
    ...why.map((line) => paint.red(line)),
  ];
}

function markOf({ status }: RunView): Mark {
  switch (status) {
    case 'completed':
      return 'done';
    case 'failed':
      return 'failed';
    case 'cancelled':
      return 'left-out';
    case 'starting':
    case 'running':
    case 'paused':
      return 'running';
  }
}

function nodeLines(run: RunView, before: string, drawing: Drawing): string[] {
  return run.nodes.flatMap((node, index) => {
    const isLast = index === run.nodes.length - 1;
    const own = line(before, isLast, node.mark, [node.nodeId, node.text], node, drawing);
    const below = `${before}${isLast ? '   ' : '│  '}`;
    return [own, ...stepLines(node, below, drawing)];
  });
}

function stepLines(node: NodeView, before: string, drawing: Drawing): string[] {
  return node.steps.flatMap((step, index) => {
    const isLast = index === node.steps.length - 1;
    if (step.stream !== undefined) return [streamLine(step, before, isLast, drawing)];
    const child = step.childRunId === undefined ? undefined : drawing.views.get(step.childRunId);
    const own = line(before, isLast, step.mark, [step.text, idOf(step)], step, drawing);
    if (child === undefined || !isOpen(child, step)) return [own];
    return [own, ...nodeLines(child, `${before}${isLast ? '   ' : '│  '}`, drawing)];
  });
}

/** A child that completed is one line, so that the tree of a long run stays short. */
function isOpen(child: RunView, step: StepView): boolean {
  return step.mark === 'failed' || !hasEnded(child) || child.status === 'failed';
}

function idOf({ childRunId }: StepView): string {
  return childRunId === undefined ? '' : shortId(childRunId);
}

type Texts = readonly [name: string, more: string];

function line(
  before: string,
  isLast: boolean,
  mark: Mark,
  texts: Texts,
  { from, to }: { readonly from: number; readonly to?: number },
  { now, width, paint }: Drawing,
): string {
  const [name, more] = texts.map((text) => printable(text).replace(/\s+/g, ' ')) as [string, string];
  const branch = `${before}${isLast ? '└─' : '├─'} `;
  const ms = (to ?? now) - from;
  const time = mark === 'left-out' || (to !== undefined && ms < 100) ? '' : durationText(ms);
  const room = width - textWidth(branch) - 2 - (time === '' ? 0 : textWidth(time) + 1);
  const shownName = cutEnd(name, room);
  const left = room - textWidth(shownName) - 2;
  const shownMore = more === '' || left < 4 ? '' : `  ${cutEnd(more, left)}`;
  const filled = padTo(`${shownName}${shownMore}`, room);
  const body = `${highlight(mark, paint)(shownName)}${paint.dim(shownMore)}`;
  const gap = time === '' ? '' : filled.slice(shownName.length + shownMore.length);
  const end = time === '' ? '' : `${gap} ${paint.dim(time)}`;
  return `${paint.dim(branch)}${signOf(mark, paint)} ${body}${end}`;
}

function streamLine(step: StepView, before: string, isLast: boolean, { width, paint }: Drawing): string {
  const branch = `${before}${isLast ? '└─' : '├─'} `;
  const text = printable(step.stream ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return `${paint.dim(branch)}${paint.cyan(`“${cutStart(text, width - textWidth(branch) - 2)}`)}`;
}

function signOf(mark: Mark, paint: Paint): string {
  return coloured(mark, paint)(SIGNS[mark]);
}

function coloured(mark: Mark, paint: Paint): (text: string) => string {
  switch (mark) {
    case 'done':
      return paint.green;
    case 'failed':
      return paint.red;
    case 'waiting':
    case 'again':
      return paint.yellow;
    case 'running':
      return paint.cyan;
    case 'left-out':
      return paint.dim;
  }
}

/** The name of work that waits is highlighted, because a person has to do something about it. */
function highlight(mark: Mark, paint: Paint): (text: string) => string {
  return mark === 'waiting' ? paint.yellow : mark === 'failed' ? paint.red : (text) => text;
}
