/** What a key, and a run that was started with it, may do. A route names the one it needs. */
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
  'host:operate',
] as const;

export type Scope = (typeof SCOPES)[number];

export function isScope(value: string): value is Scope {
  return (SCOPES as readonly string[]).includes(value);
}
