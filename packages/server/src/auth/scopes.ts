/** What a key may do. A route names the one it needs; the operator's key has them all. */
export const SCOPES = [
  'manifest:read',
  'runs:create',
  'runs:read',
  'runs:cancel',
  'approvals:respond',
  'artifacts:read',
  'webhooks:manage',
  'audit:read',
  'workflows:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Who may use a route: holders of a scope, or anybody. There is no default. */
export type Access = Scope | 'public';

export function isScope(value: string): value is Scope {
  return (SCOPES as readonly string[]).includes(value);
}
