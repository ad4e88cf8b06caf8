import {
  charge,
  compilePattern,
  type EdgeCondition,
  equalWithin,
  includesText,
  isJsonObject,
  type Json,
  type Meter,
  TooMuchWorkError,
  ValueTooLargeError,
} from '@baton/protocol';
import { type Bindings, compileExpression, type Expression, laterExpression } from './expression.ts';
import type { StepMeter } from './step-meter.ts';

/** Conditions of edges. Comparing, searching and matching are metered like expressions. */

export type Condition = (scope: Bindings, meter: StepMeter) => boolean;

/** Throws when a condition is invalid. */
export function checkCondition(given: EdgeCondition): void {
  compileExpression(expressionOf(given));
  if (given.type === 'regex') compilePattern(String(given.right ?? null));
}

/** The text of the expression that the condition evaluates. */
export function expressionOf(given: EdgeCondition): string {
  const compares = given.type !== undefined && given.type !== 'expression';
  return (compares ? given.left : (given.expression ?? given.left)) ?? '';
}

export function compileCondition(given: EdgeCondition): Condition {
  const type = given.type ?? 'expression';
  const left = laterExpression(expressionOf(given));
  if (type === 'expression') return (scope, meter) => left(scope, meter) === true;
  const right = given.right ?? null;
  switch (type) {
    case 'equals':
      return (scope, meter) => same(value(left, scope, meter), right, meter);
    case 'notEquals':
      return (scope, meter) => !same(value(left, scope, meter), right, meter);
    case 'contains':
      return (scope, meter) => contains(value(left, scope, meter), right, meter);
    case 'regex':
      return (scope, meter) => {
        const text = value(left, scope, meter);
        return typeof text === 'string' && compilePattern(String(right)).matches(text, meter);
      };
    default:
      throw new Error(`a condition of type ${type} is not known`);
  }
}

/**
 * A missing variable is not an error in a condition: it equals no value. Exceeding the step limit is an
 * error.
 */
function value(left: Expression, scope: Bindings, meter: StepMeter): Json | undefined {
  try {
    return left(scope, meter);
  } catch (problem) {
    if (problem instanceof TooMuchWorkError || problem instanceof ValueTooLargeError) throw problem;
    return undefined;
  }
}

function same(a: Json | undefined, b: Json, meter: Meter): boolean {
  return a !== undefined && equalWithin(a, b, meter);
}

function contains(whole: Json | undefined, part: Json, meter: Meter): boolean {
  if (typeof whole === 'string') {
    const sought = String(part);
    charge(meter, (whole.length + sought.length) >>> 3);
    return includesText(whole, sought);
  }
  if (Array.isArray(whole)) return whole.some((item) => equalWithin(item, part, meter));
  return isJsonObject(whole) && typeof part === 'string' && Object.hasOwn(whole, part);
}
