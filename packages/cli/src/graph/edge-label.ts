import type { EdgeCondition, TriggerRule, WorkflowEdge } from '@baton/protocol';

/** `all_success` is the rule of an edge that states none, so it is not written. */
const RULES: Readonly<Record<TriggerRule, string>> = {
  all_success: '',
  any_success: 'if any succeeded',
  all_complete: 'in any case',
  none_failed: 'if none failed',
  any_failed: 'on failure',
};

/** When an edge is taken, in a few words: its label, its condition and its rule. */
export function edgeLabel({ label, condition, triggerRule = 'all_success' }: WorkflowEdge): string {
  return [label, condition && conditionText(condition), RULES[triggerRule]].filter(Boolean).join(', ');
}

const SIGNS: Readonly<Record<string, string>> = {
  equals: '=',
  notEquals: '≠',
  contains: 'contains',
  regex: 'matches',
};

function conditionText({ type, left = '', right, expression }: EdgeCondition): string {
  const sign = type === undefined ? undefined : SIGNS[type];
  if (sign === undefined) return shortNames(expression ?? left);
  return `${shortNames(left)} ${sign} ${typeof right === 'string' ? right : JSON.stringify(right)}`;
}

function shortNames(expression: string): string {
  return expression.replaceAll('variables.', '');
}
