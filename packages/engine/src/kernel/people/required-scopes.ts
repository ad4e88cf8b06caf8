import { runError } from '@baton/protocol';
import type { PlanNode } from '../graph/plan.ts';
import type { Finish } from '../model.ts';
import { emit, type WorkingRun } from '../working-run.ts';
import { holdsScope } from './scopes.ts';

/** Scopes that a node declares as required. Each decision is recorded, and one denial fails the node. */

interface ScopeDecision {
  readonly scope: string;
  readonly allowed: boolean;
}

export function decideScopes(working: WorkingRun, node: PlanNode): readonly ScopeDecision[] {
  const required = new Set([...(node.type.scopes ?? []), ...(node.node.settings?.requiredScopes ?? [])]);
  return [...required].map((scope) => ({ scope, allowed: holdsScope(working.run.scopes, scope) }));
}

/** A node that lacks a scope fails. A retry would not help. */
export function refuseDenied(node: PlanNode, decisions: readonly ScopeDecision[]): Finish | undefined {
  const missing = decisions.filter(({ allowed }) => !allowed).map(({ scope }) => scope);
  if (missing.length === 0) return undefined;
  const message = `Node "${node.id}" needs scopes that this run does not have: ${missing.join(', ')}.`;
  return { do: 'fail', error: runError('forbidden', message, { scopes: missing }), retryable: false };
}

export function recordDecisions(
  working: WorkingRun,
  node: PlanNode,
  decisions: readonly ScopeDecision[],
  startedId: string,
): void {
  for (const { scope, allowed } of decisions) {
    emit(
      working,
      'authorization.decided',
      {
        principal: working.run.principal,
        action: scope,
        resource: `node:${node.id}`,
        allowed,
        ...(!allowed && { reason: `The run does not have the scope "${scope}".` }),
      },
      node.id,
      startedId,
    );
  }
}
