import { isScope } from '@baton/protocol';

/** The scopes of a run. A run without a list is not restricted; only the host itself starts such runs. */
type Scopes = readonly string[] | undefined;

/** The scopes of a child: those of its parent, or fewer if named. Naming a scope never grants it, known or not. */
export function narrowScopes(parent: Scopes, named?: readonly string[]): Scopes {
  if (named === undefined) return parent;
  const wanted = [...new Set(named)].filter(isScope);
  return parent === undefined ? wanted : wanted.filter((scope) => parent.includes(scope));
}

export function holdsScope(held: Scopes, scope: string): boolean {
  return held === undefined || held.includes(scope);
}
