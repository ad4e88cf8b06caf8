import { durationText } from '../live/amounts.ts';
import type { Paint } from '../output/output.ts';
import { printableBlock, printableLine } from '../output/printable.ts';
import { timeText } from '../runs/run-text.ts';
import type { OpenQuestion } from './find-question.ts';

/** The columns before the text of a fact. */
const LABEL = 12;

/**
 * An open question as text: what is asked, by whom and until when, the verdict of the critic, and the artifact.
 * `columns` is the width of the terminal.
 */
export function questionText(question: OpenQuestion, now: number, paint: Paint, columns?: number): string {
  const { place, data, startedBy, judgement } = question;
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    ['run', place.runId],
    ['asked by', `node ${place.nodeId} of ${place.workflowId}, which ${startedBy} started`],
    ['asked', `${timeText(place.requestedAt)} UTC, ${durationText(now - Date.parse(place.requestedAt))} ago`],
    ['until', untilText(place.expiresAt, now)],
    ['approvals', approvalsText(data)],
    ['critic', judgement && `${judgement.critic}: ${judgement.verdict}${sureText(judgement.confidence)}`],
    ['criteria', judgement?.criteria.join(', ')],
    ['feedback', judgement?.feedback],
    checksumRow(data),
  ];
  const description =
    typeof data.description === 'string' ? [paint.dim(printableBlock(data.description, 0, columns))] : [];
  const facts = rows.flatMap(([label, text]) =>
    text === undefined || text === '' ? [] : [fact(label, text, paint, columns)],
  );
  return [
    paint.bold(printableBlock(place.title, 0, columns)),
    ...description,
    '',
    ...facts,
    ...contentLines(data, paint, columns),
  ].join('\n');
}

function fact(label: string, text: string, paint: Paint, columns: number | undefined): string {
  const name = printableLine(label).padEnd(LABEL - 2);
  return `  ${paint.dim(name)}${printableBlock(text, LABEL, columns)}`;
}

function untilText(expiresAt: string | undefined, now: number): string {
  if (expiresAt === undefined) return 'there is no limit';
  return `${timeText(expiresAt)} UTC, in ${durationText(Date.parse(expiresAt) - now)}`;
}

function approvalsText({ requiredApprovals, approversList }: OpenQuestion['data']): string | undefined {
  const count = typeof requiredApprovals === 'number' ? `${requiredApprovals} are needed` : undefined;
  const people = Array.isArray(approversList) ? `from ${approversList.join(', ')}` : undefined;
  return [count, people].filter((part) => part !== undefined).join(', ');
}

function sureText(confidence: number | undefined): string {
  return confidence === undefined ? '' : ` (confidence ${confidence})`;
}

/** The algorithm is the label, so that a checksum of 64 digits fits into a line of 80 columns. */
function checksumRow({ attestation }: OpenQuestion['data']): readonly [string, string | undefined] {
  const { checksum, algorithm = '' } = (attestation ?? {}) as { checksum?: string; algorithm?: string };
  return [algorithm, checksum];
}

/** The artifact of an approval, the questions of a clarification, or the data of another kind. */
function contentLines(data: OpenQuestion['data'], paint: Paint, columns?: number): readonly string[] {
  if (Array.isArray(data.questions)) {
    return (data.questions as readonly { id: string; question: string }[]).map(({ id, question }) =>
      fact(id, question, paint, columns),
    );
  }
  const shown = 'artifactData' in data ? data.artifactData : 'decision' in data ? data.decision : undefined;
  if (shown === undefined) return [];
  const lines = JSON.stringify(shown, null, 2).split('\n');
  return ['', ...lines.map((line) => `  ${indentOf(line)}${printableBlock(line, 2, columns)}`)];
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}
