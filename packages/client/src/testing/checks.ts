import { AssertionError } from 'node:assert';
import { isDeepStrictEqual } from 'node:util';
import {
  type EventType,
  isJsonObject,
  type Json,
  type JsonObject,
  type TerminalStatus,
} from '@baton/protocol';
import { cut, line } from './event-list.ts';
import type { GateStage, Merge } from './merges.ts';
import { requireEventType } from './mistakes.ts';
import type { TestRun } from './run-types.ts';

/**
 * Checks for `then`. Each returns the run, so that the next `then` can check it too. A check that fails throws an
 * `AssertionError` of Node.js, which every test runner shows, with the events that there were.
 */
export type Check = (run: TestRun) => TestRun;

/** The run has ended so, and failed with this code. */
export function ended(status: TerminalStatus, code?: string): Check {
  return check((run) => {
    if (run.status !== status)
      return { message: `The run is ${run.status}, not ${status}.`, expected: status, actual: run.status };
    if (code === undefined || run.error?.code === code) return undefined;
    const actual = run.error?.code;
    return {
      message: `The run failed with "${actual ?? 'no code'}", not with "${code}".`,
      expected: code,
      actual,
    };
  });
}

/** A node waits for an answer. */
export function asks(nodeId: string): Check {
  return check((run) =>
    run.questions.some((question) => question.nodeId === nodeId)
      ? undefined
      : {
          message: `No question is open at "${nodeId}".`,
          expected: nodeId,
          actual: run.questions.map((one) => one.nodeId),
        },
  );
}

/** These variables have these values. Others are not looked at. */
export function hasVariables(variables: JsonObject): Check {
  return check((run) => {
    const wrong = Object.entries(variables).find(
      ([name, value]) => !isDeepStrictEqual(run.variables[name], value),
    );
    if (wrong === undefined) return undefined;
    const [name, expected] = wrong;
    const actual = run.variables[name];
    const is = actual === undefined ? 'has no value' : `is ${cut(JSON.stringify(actual))}`;
    return {
      message: `The variable "${name}" ${is}, not ${cut(JSON.stringify(expected))}.`,
      expected,
      actual,
    };
  });
}

/** An event: its type, and a part of its payload if that matters. `nodeId` is that of the event. */
export type ExpectedEvent =
  | EventType
  | { readonly type: EventType; readonly nodeId?: string; readonly payload?: JsonObject };

/** The log of the run has these events in this order. Others may stand between them. */
export function emitted(...expected: readonly ExpectedEvent[]): Check {
  return check((run) => {
    let from = 0;
    for (const one of expected) {
      const at = run.events.findIndex((event, index) => index >= from && fits(event, one));
      if (at === -1) return missing(run, one, from);
      from = at + 1;
    }
    return undefined;
  });
}

/** The log of the run has no such event. */
export function notEmitted(expected: ExpectedEvent): Check {
  requireEventType(typeof expected === 'string' ? expected : expected?.type);
  return check((run) => {
    const found = run.events.find((event) => fits(event, expected));
    return (
      found && {
        message: `The run has an event ${wordsFor(expected)}: ${line(found).trim()}`,
        expected: undefined,
        actual: found,
      }
    );
  });
}

/** What is known of a merge. Only the given members are compared. */
export interface ExpectedMerge {
  readonly value?: Json;
  readonly why?: Merge['why'];
  readonly stages?: readonly GateStage[];
  readonly checksum?: string;
  readonly editedChecksum?: string;
  readonly verdict?: Merge['verdict'];
  readonly criteria?: readonly string[];
  readonly approvedBy?: readonly string[];
}

/**
 * A merge gate has let a value into this variable, for these reasons.
 *
 * @example
 * import { merged, type TestRun } from '@baton/client/testing';
 *
 * export const check = (run: TestRun) =>
 *   merged('report', { why: 'approved', verdict: 'pass', approvedBy: ['reviewer'], stages: ['attest', 'verify', 'approve', 'merge'] })(run);
 */
export function merged(variable: string, expected: ExpectedMerge = {}): Check {
  return check((run) => {
    const found = run.merges.findLast((merge) => Object.hasOwn(merge.variables, variable));
    if (found === undefined) {
      const message = `Nothing was merged into "${variable}". ${gates(run.merges)}`;
      return { message, expected: { variable, ...expected }, actual: run.merges };
    }
    const actual: ExpectedMerge = { ...found, value: found.variables[variable] ?? null };
    const wrong = Object.entries(expected).find(
      ([name, value]) => !isDeepStrictEqual(actual[name as keyof ExpectedMerge], value),
    );
    if (wrong === undefined) return undefined;
    const [name, wanted] = wrong;
    const was = actual[name as keyof ExpectedMerge];
    const message = `A value was merged into "${variable}", but its ${name} is ${JSON.stringify(was) ?? 'not recorded'}, not ${JSON.stringify(wanted)}.`;
    return { message, expected: wanted, actual: was };
  });
}

/** No merge gate has let a value into this variable. */
export function notMerged(variable: string, why?: Merge['why']): Check {
  return check((run) => {
    const found = run.merges.find((merge) => Object.hasOwn(merge.variables, variable));
    if (found)
      return {
        message: `A value was merged into "${variable}": ${found.why}.`,
        expected: undefined,
        actual: found,
      };
    if (why === undefined || run.merges.some((merge) => merge.why === why)) return undefined;
    return {
      message: `No merge gate has decided "${why}". ${gates(run.merges)}`,
      expected: why,
      actual: run.merges,
    };
  });
}

interface Failure {
  readonly message: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** The error points to the line of the test that calls for the check. */
function check(problemIn: (run: TestRun) => Failure | undefined): Check {
  const called = new Error('called here');
  return (run) => {
    const failure = problemIn(run);
    if (failure === undefined) return run;
    const { message, expected, actual } = failure;
    const error = new AssertionError({
      message: `${message}\n\n${run.describe()}`,
      expected,
      actual,
      operator: 'then',
    });
    error.stack = `${error.name}: ${error.message}\n${(called.stack ?? '').split('\n').slice(3).join('\n')}`;
    throw error;
  };
}

function fits(event: TestRun['events'][number], expected: ExpectedEvent): boolean {
  if (typeof expected === 'string') return event.type === expected;
  const { type, nodeId, payload = {} } = expected;
  if (event.type !== type || (nodeId !== undefined && event.nodeId !== nodeId)) return false;
  return contains(event.payload as unknown as Json, payload);
}

/** Objects may have more members than expected. Everything else is equal. */
function contains(whole: Json | undefined, part: Json): boolean {
  if (!isJsonObject(part)) return isDeepStrictEqual(whole, part);
  return isJsonObject(whole) && Object.entries(part).every(([name, value]) => contains(whole[name], value));
}

function wordsFor(expected: ExpectedEvent): string {
  if (typeof expected === 'string') return `"${expected}"`;
  const { type, nodeId, payload } = expected;
  return `"${type}"${nodeId === undefined ? '' : ` of "${nodeId}"`}${payload ? ` with ${cut(JSON.stringify(payload))}` : ''}`;
}

function missing(run: TestRun, expected: ExpectedEvent, from: number): Failure {
  const type = typeof expected === 'string' ? expected : expected.type;
  const alike = run.events.filter((event) => event.type === type);
  const after = from === 0 ? '' : ` after event ${run.events[from - 1]?.sequence}`;
  const near =
    alike.length === 0
      ? ''
      : ` There are others of this type:\n${alike.map((event) => `  ${line(event)}`).join('\n')}`;
  return { message: `The run has no event ${wordsFor(expected)}${after}.${near}`, expected, actual: alike };
}

function gates(merges: readonly Merge[]): string {
  if (merges.length === 0) return 'No outputs came to a merge gate.';
  const told = merges.map(({ workerId, why, stages }) => `${workerId}: ${why} (${stages.join(', ')})`);
  return `What came to a merge gate: ${told.join('; ')}.`;
}
