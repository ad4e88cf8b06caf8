import type { RunDiff } from '@baton/client';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Paint } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import type { Session } from '../session.ts';
import { withKnownRun } from './known-names.ts';
import { isUnknown } from './unknown.ts';

/** `baton diff`: the events in which two runs differ. */
export async function compareRuns(session: Session, a: string, b: string): Promise<ExitCode> {
  const { baton, out } = session;
  const diff = await baton
    .run(a)
    .diff(b)
    .catch(async (error: unknown) => {
      if (!isUnknown(error)) throw error;
      // The host does not say which of the two runs it does not know.
      return baton.run(await knownRun(session, a)).diff(await knownRun(session, b));
    });
  out.give(diff, diffText(diff, out.paint));
  return EXIT.done;
}

function knownRun(session: Session, named: string): Promise<string> {
  return withKnownRun(session, named, async (id) => (await session.baton.run(id).snapshot()).runId);
}

interface ComparedEvent {
  readonly type?: string;
  readonly nodeId?: string;
  readonly payload?: unknown;
}

export function diffText(diff: RunDiff, paint: Paint): string {
  if (diff.divergedAtSeq === null) return 'The runs do not differ.';
  const lines = diff.eventDiffs.flatMap(({ seq, aEvent, bEvent }) => [
    ...(aEvent === undefined ? [] : [paint.red(`- ${eventText(seq, aEvent, bEvent)}`)]),
    ...(bEvent === undefined ? [] : [paint.green(`+ ${eventText(seq, bEvent, aEvent)}`)]),
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

/** The event with the members of its payload in which it differs from the other one. */
function eventText(sequence: number, event: unknown, other: unknown): string {
  const { type = '', nodeId, payload: whole } = event as ComparedEvent;
  const against = (other ?? {}) as ComparedEvent;
  const payload = against.type === type ? differing(whole, against.payload) : whole;
  const place = nodeId === undefined ? '' : ` ${nodeId}`;
  const text = printable(`${String(sequence).padStart(4)} ${type}${place} ${JSON.stringify(payload)}`);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** Only the members that differ, and of a long text only the part from the difference on. */
function differing(value: unknown, other: unknown): unknown {
  if (typeof value === 'string' && typeof other === 'string') return fromDifference(value, other);
  if (!isObject(value) || !isObject(other)) return value;
  const changed = Object.entries(value).filter(
    ([name, member]) => JSON.stringify(member) !== JSON.stringify(other[name]),
  );
  return Object.fromEntries(changed.map(([name, member]) => [name, differing(member, other[name])]));
}

const BEFORE_DIFFERENCE = 20;

function fromDifference(text: string, other: string): string {
  const characters = [...text];
  const others = [...other];
  const at = characters.findIndex((character, index) => character !== others[index]);
  return at > 2 * BEFORE_DIFFERENCE ? `…${characters.slice(at - BEFORE_DIFFERENCE).join('')}` : text;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
