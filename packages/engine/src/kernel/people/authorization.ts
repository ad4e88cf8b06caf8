import { isScope, SCOPES, type Scope } from '@baton/protocol';

/** Roles and their scopes, and the check whether a principal may perform an action. */

/** This scope reaches the runs of every tenant, so no role of a tenant has it. */
const OF_THE_HOST: Scope = 'host:operate';

export const ROLES = {
  operator: SCOPES.filter((scope) => scope !== OF_THE_HOST),
  author: [
    'manifest:read',
    'workflows:write',
    'runs:create',
    'runs:read',
    'workspace:read',
    'workspace:write',
  ],
  runner: ['manifest:read', 'runs:create', 'runs:read', 'runs:cancel', 'workspace:read', 'workspace:write'],
  approver: ['runs:read', 'artifacts:read', 'approvals:respond'],
  viewer: ['manifest:read', 'runs:read', 'artifacts:read', 'workspace:read'],
  auditor: ['runs:read', 'audit:read'],
} as const satisfies Record<string, readonly Scope[]>;

export type Role = keyof typeof ROLES;

export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[];

export function isRole(name: string): name is Role {
  return Object.hasOwn(ROLES, name);
}

export function scopesOfRole(role: Role): readonly Scope[] {
  return ROLES[role];
}

interface AccessRequest {
  readonly principal: string;
  /** A scope. */
  readonly action: string;
  readonly resource: string;
}

interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** The roles of a principal, or `undefined` for an unknown principal. */
export type ResolveRoles = (principal: string) => readonly string[] | undefined;

/** Denies every action that is not explicitly allowed, and every action while roles cannot be looked up. */
export function authorize(
  { principal, action, resource }: AccessRequest,
  resolveRoles: ResolveRoles,
): AccessDecision {
  if (!isScope(action)) return deny(`"${action}" is not an action of this host`);
  let roles: readonly string[] | undefined;
  try {
    roles = resolveRoles(principal);
  } catch {
    return deny('the roles could not be looked up');
  }
  if (roles === undefined) return deny(`"${principal}" is not known to this host`);
  if (roles.length === 0) return deny(`"${principal}" has no role`);
  const known = roles.filter(isRole);
  const granting = known.find((role) => scopesOfRole(role).includes(action));
  if (granting !== undefined) {
    return { allowed: true, reason: `the role "${granting}" includes ${action} on ${resource}` };
  }
  if (known.length === 0) return deny(`no role of this host is called ${quoted(roles)}`);
  return deny(`${action} is in none of the roles ${quoted(known)}`);
}

function deny(reason: string): AccessDecision {
  return { allowed: false, reason };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
