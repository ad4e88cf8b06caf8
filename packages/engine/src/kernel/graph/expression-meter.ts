import {
  charge,
  equalWithin,
  indexOfText,
  lastIndexOfText,
  type Meter,
  splitText,
  stepsForMembers,
  stepsForText,
  TooMuchWorkError,
} from '@baton/protocol';
import type { Environment } from '@marcbachmann/cel-js';

/**
 * Counts the steps of an evaluation: one for every evaluated part of the expression, and more for what an
 * operator or a function has to read, compare or make. They are counted before the work is done. The library
 * has no hook for this, so an expression is used to get its evaluator, and operators are wrapped when they
 * are first evaluated.
 */
export interface Metering {
  meter: Meter;
}

/** Operators get their operands first. The other arguments are internal to the library. */
type Handle = (first: unknown, second: unknown, third: unknown, fourth?: unknown) => unknown;

interface Ast {
  readonly op: string;
  readonly args: unknown;
  readonly meta: { readonly alternate?: Ast };
  handle?: Handle;
  /** The steps of this node without its parts. Absent until it is first evaluated. */
  steps?: number;
  evaluate(evaluator: Evaluator, ast: Ast, context: unknown): unknown;
  setMeta(key: 'evaluate', value: (evaluator: Evaluator) => boolean): void;
}

interface Evaluator {
  run(ast: Ast, context: unknown): unknown;
  tryEval(ast: Ast, context: unknown): unknown;
}

/**
 * Making an error is expensive, because it has a stack and a part of the text. Quantifiers ignore one error
 * for each item.
 */
const STEPS_FOR_ERROR = 400;

/** Making a map takes much longer than evaluating a name. */
const STEPS_FOR_MAP = 24;

/** Call once for each environment. */
export function installMeter(environment: Environment): Metering {
  const metering: Metering = { meter: { what: 'the expression takes', limit: 0, left: 0 } };
  const probe = environment.parse('true') as unknown as { (): unknown; check(): unknown; readonly ast: Ast };
  probe.check();
  probe.ast.setMeta('evaluate', (evaluator) => {
    evaluator.run = function run(ast, context) {
      const steps = ast.steps ?? meterNode(ast, metering);
      const value = ast.evaluate(this, ast, context);
      charge(metering.meter, steps);
      return value;
    };
    // Quantifiers and `||` go on after an error, but they must not go on after this one.
    evaluator.tryEval = function tryEval(ast, context) {
      try {
        return this.run(ast, context);
      } catch (problem) {
        if (problem instanceof TooMuchWorkError) throw problem;
        charge(metering.meter, STEPS_FOR_ERROR);
        return problem;
      }
    };
    return true;
  });
  probe();
  return metering;
}

/** The library evaluates the root of an expression directly, without `run`. */
export function meterRoot(parsed: unknown, metering: Metering): void {
  meterNode((parsed as { readonly ast: Ast }).ast, metering);
}

/** Returns the steps of the node without its parts. */
function meterNode(ast: Ast, metering: Metering): number {
  const steps = ast.op === 'map' ? STEPS_FOR_MAP : 1;
  ast.steps = steps;
  const { alternate } = ast.meta;
  if (alternate !== undefined) {
    if (alternate.steps === undefined) meterNode(alternate, metering);
    return steps;
  }
  const wrap = WRAPPERS[ast.op];
  if (ast.handle !== undefined && wrap !== undefined) ast.handle = wrap(ast.handle, metering, ast);
  return steps;
}

type Wrap = (handle: Handle, metering: Metering, ast: Ast) => Handle;

const compared: Wrap = (handle, metering) => (left, right, ast, evaluator) => {
  equalWithin(left, right, metering.meter);
  return handle(left, right, ast, evaluator);
};

const ordered: Wrap = (handle, metering) => (left, right, ast, evaluator) => {
  charge(metering.meter, stepsForText(Math.min(lengthOf(left), lengthOf(right))));
  return handle(left, right, ast, evaluator);
};

const WRAPPERS: Readonly<Record<string, Wrap>> = {
  '==': compared,
  '!=': compared,
  '<': ordered,
  '<=': ordered,
  '>': ordered,
  '>=': ordered,
  in: (handle, metering) => (value, list, ast, evaluator) => {
    if (Array.isArray(list)) list.some((item) => equalWithin(value, item, metering.meter));
    return handle(value, list, ast, evaluator);
  },
  '+': (handle, metering) => (left, right, ast, evaluator) => {
    charge(metering.meter, (lengthOf(left) + lengthOf(right)) >>> (typeof left === 'string' ? 4 : 2));
    return handle(left, right, ast, evaluator);
  },
  // A loop over a map needs a list of its keys first.
  comprehension: (handle, metering) => (items, args, evaluator, context) => {
    charge(metering.meter, keysOf(items));
    return handle(items, args, evaluator, context);
  },
  call: (handle, metering, ast) => (given, second, third) => {
    const name = (ast.args as readonly unknown[])[0];
    chargeForCall(metering.meter, String(name), given as readonly unknown[]);
    return handle(given, second, third);
  },
  rcall: (handle, metering, ast) => (given, second, third) => {
    const name = String((ast.args as readonly unknown[])[0]);
    const values = given as readonly unknown[];
    chargeForCall(metering.meter, name, values);
    const search = SEARCHES[name];
    if (search === undefined || !areTexts(values)) return handle(given, second, third);
    return search(values[0] as string, values[1] as string, metering.meter);
  },
};

/** With a time zone, the library formats the date to get a part of it. */
const STEPS_FOR_TIME_ZONE = 4000;

function chargeForCall(meter: Meter, name: string, given: readonly unknown[]): void {
  for (const value of given) charge(meter, (lengthOf(value) >>> 3) + (name === 'size' ? keysOf(value) : 0));
  const [first, second] = given;
  if (name === 'join' && Array.isArray(first)) charge(meter, stepsForJoining(first, lengthOf(second)));
  if (name.startsWith('get') && typeof second === 'string') charge(meter, STEPS_FOR_TIME_ZONE);
  // The library tries its pattern at every position of the text.
  if (name === 'duration') charge(meter, lengthOf(first) ** 2 / 4);
}

function stepsForJoining(items: readonly unknown[], separator: number): number {
  let characters = items.length * separator;
  for (const item of items) characters += lengthOf(item);
  return items.length + stepsForText(characters);
}

/** Searches that take linear time. The built-in ones do not. */
const SEARCHES: Readonly<Record<string, (text: string, part: string, meter: Meter) => unknown>> = {
  contains: (text, part) => indexOfText(text, part, 0) !== -1,
  indexOf: (text, part) => BigInt(indexOfText(text, part, 0)),
  lastIndexOf: (text, part) => BigInt(lastIndexOfText(text, part, Number.POSITIVE_INFINITY)),
  split: (text, part, meter) => {
    const pieces = splitText(text, part);
    charge(meter, pieces.length);
    return pieces;
  },
};

/** With a third argument, the function of the library is used. */
function areTexts(given: readonly unknown[]): boolean {
  return given.length === 2 && typeof given[0] === 'string' && typeof given[1] === 'string';
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array ? value.length : 0;
}

function keysOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 0;
  return stepsForMembers(Object.keys(value).length);
}
