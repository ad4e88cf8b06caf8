import type { RunDiff } from '@baton/client';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { type Paint, printable } from '../output/paint.ts';
import type { Session } from '../session.ts';
import { withKnownRun } from './known-names.ts';

/** `baton diff`: the events in which two runs differ. */
export async function compareRuns(session: Session, a: string, b: string): Promise<ExitCode> {
  const { baton, out } = session;
  const diff = await withKnownRun(session, a, () => baton.run(a).diff(b));
  out.give(diff, diffText(diff, out.paint));
  return EXIT.done;
}

interface ComparedEvent {
  readonly type?: string;
  readonly nodeId?: string;
  readonly payload?: unknown;
}

function diffText(diff: RunDiff, paint: Paint): string {
  if (diff.divergedAtSeq === null) return 'The runs do not differ.';
  const lines = diff.eventDiffs.flatMap(({ seq, aEvent, bEvent }) => [
    ...(aEvent === undefined ? [] : [paint.red(`- ${eventText(seq, aEvent)}`)]),
    ...(bEvent === undefined ? [] : [paint.green(`+ ${eventText(seq, bEvent)}`)]),
  ]);
  return [
    paint.bold(`The runs differ from event ${diff.divergedAtSeq} on.`),
    paint.dim(`- ${diff.a}`),
    paint.dim(`+ ${diff.b}`),
    ...lines,
    ...(diff.truncated ? [paint.dim('… more differences are not shown.')] : []),
  ].join('\n');
}

const LONGEST = 160;

function eventText(sequence: number, event: unknown): string {
  const { type = '', nodeId, payload } = event as ComparedEvent;
  const place = nodeId === undefined ? '' : ` ${nodeId}`;
  const text = printable(`${String(sequence).padStart(4)} ${type}${place} ${JSON.stringify(payload)}`);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
