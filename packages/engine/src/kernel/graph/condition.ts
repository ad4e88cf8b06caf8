import { type EdgeCondition, isJsonObject, type Json } from '@baton/protocol';
import { RE2JS } from 're2js';
import { compileExpression, type Expression, type Scope } from './expression.ts';
import { sameJson } from './same-json.ts';

/** Edge conditions. Patterns run on a linear-time matcher, so no pattern can stall the host. */

export type Condition = (scope: Scope) => boolean;

export function compileCondition(given: EdgeCondition): Condition {
  const type = given.type ?? 'expression';
  if (type === 'expression') {
    const expression = compileExpression(given.expression ?? given.left ?? '');
    return (scope) => expression(scope) === true;
  }
  const left = compileExpression(given.left ?? '');
  const right = given.right ?? null;
  switch (type) {
    case 'equals':
      return (scope) => sameJson(value(left, scope), right);
    case 'notEquals':
      return (scope) => !sameJson(value(left, scope), right);
    case 'contains':
      return (scope) => contains(value(left, scope), right);
    case 'regex': {
      const pattern = RE2JS.compile(String(right));
      return (scope) => {
        const text = value(left, scope);
        return typeof text === 'string' && pattern.matcher(text).find();
      };
    }
    default:
      throw new Error(`a condition of type ${type} is not known`);
  }
}

/** A missing variable is not an error in a condition: it equals nothing. */
function value(left: Expression, scope: Scope): Json | undefined {
  try {
    return left(scope);
  } catch {
    return undefined;
  }
}

function contains(whole: Json | undefined, part: Json): boolean {
  if (typeof whole === 'string') return whole.includes(String(part));
  if (Array.isArray(whole)) return whole.some((item) => sameJson(item, part));
  return isJsonObject(whole) && typeof part === 'string' && Object.hasOwn(whole, part);
}
