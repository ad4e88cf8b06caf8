/** Permissions of a key and of the runs that were started with the key. Each route needs one of them. */
export const SCOPES = [
  'manifest:read',
  'runs:create',
  'runs:read',
  'runs:cancel',
  'runs:erase',
  'approvals:respond',
  'approvals:override',
  'artifacts:read',
  'webhooks:manage',
  'audit:read',
  'workflows:write',
  'workspace:read',
  'workspace:write',
  'secrets:write',
  'host:operate',
] as const;

export type Scope = (typeof SCOPES)[number];

export function isScope(value: string): value is Scope {
  return (SCOPES as readonly string[]).includes(value);
}
