import { isScope } from '@baton/protocol';

/** What the runs of a tree may do. A run without a list is not restricted; only the host itself starts such. */
export type Scopes = readonly string[] | undefined;

/** A child gets what its parent has, or less where it is narrowed; naming a scope never grants it, known or not. */
export function narrowScopes(parent: Scopes, named?: readonly string[]): Scopes {
  if (named === undefined) return parent;
  const wanted = [...new Set(named)].filter(isScope);
  return parent === undefined ? wanted : wanted.filter((scope) => parent.includes(scope));
}

export function holdsScope(held: Scopes, scope: string): boolean {
  return held === undefined || held.includes(scope);
}
