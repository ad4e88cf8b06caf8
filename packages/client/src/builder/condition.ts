import type { EdgeCondition, Json } from '@baton/protocol';
import type { Sound } from './expression.ts';

/** When the target of an edge is reached. */

/** An expression that has to be true, or an expression (`left`) whose value is compared. */
export type Condition =
  | string
  | { readonly left: string; readonly equals: Json }
  | { readonly left: string; readonly notEquals: Json }
  | { readonly left: string; readonly contains: Json }
  /** A regular expression. */
  | { readonly left: string; readonly matches: string };

/** Requires that all names in the condition are known. */
export type SoundCondition<C, Variable extends string, Node extends string> = C extends string
  ? Sound<C, Variable, Node>
  : C extends { readonly left: infer S extends string }
    ? { readonly left: Sound<S, Variable, Node> }
    : unknown;

export function toCondition(condition: Condition): EdgeCondition {
  if (typeof condition === 'string') return { type: 'expression', expression: condition };
  const { left } = condition;
  if ('equals' in condition) return { type: 'equals', left, right: condition.equals };
  if ('notEquals' in condition) return { type: 'notEquals', left, right: condition.notEquals };
  if ('contains' in condition) return { type: 'contains', left, right: condition.contains };
  return { type: 'regex', left, right: condition.matches };
}
