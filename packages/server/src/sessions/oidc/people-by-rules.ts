import { createHash } from 'node:crypto';
import { isRole, ROLE_NAMES, scopesOfRole } from '@baton/engine';
import type { Identity } from '../../auth/identity.ts';
import type { Person } from '../session-token.ts';
import type { OidcRule, OidcSettings } from './oidc-settings.ts';

/** The claims of a verified ID token. */
export type Claims = Readonly<Record<string, unknown>>;

/** The ids of people begin with it, where those of others have the id of a key. */
export const PERSON = 'oidc:';

const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const EMAIL = /^[^\s:@]{1,120}@[^\s:@]{1,120}$/;

/** The person with these claims; `undefined` when no rule lets the person in. */
export function personWith(claims: Claims, settings: OidcSettings): Person | undefined {
  const { sub: subject } = claims;
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) return undefined;
  const rule = settings.rules.find((one) => fits(one, claims));
  if (rule === undefined) return undefined;
  return { kind: 'person', subject, principal: principalOf(subject, claims), rule: ruleId(settings, rule) };
}

/**
 * The rights of a person by the rule that let the person in. A session outlives a start of the host, so the rule may
 * have been changed or removed since.
 */
export function identitiesByRules(
  settings: OidcSettings | undefined,
): (person: Person) => Identity | undefined {
  // The first rule counts here, too, when two of them differ in their rights only.
  const rules = new Map(settings?.rules.toReversed().map((rule) => [ruleId(settings, rule), rightsOf(rule)]));
  return ({ subject, principal, rule }) => {
    const found = rules.get(rule);
    if (found === undefined) return undefined;
    return { keyId: PERSON + subject, principal, ...found };
  };
}

function rightsOf({ tenant, role, scopes = [] }: OidcRule): Pick<Identity, 'tenant' | 'scopes'> {
  if (role !== undefined && !isRole(role)) {
    throw new Error(`BATON_OIDC_ROLES names the role "${role}"; the roles are ${ROLE_NAMES.join(', ')}.`);
  }
  return { tenant, scopes: new Set([...(role === undefined ? [] : scopesOfRole(role)), ...scopes]) };
}

/** The same for a rule that gives other scopes now. */
function ruleId({ issuer, clientId }: OidcSettings, { claim, value, tenant }: OidcRule): string {
  const named = JSON.stringify([issuer, clientId, claim, value, tenant]);
  return createHash('sha256').update(named).digest('base64url').slice(0, 22);
}

function fits({ claim, value }: OidcRule, claims: Claims): boolean {
  // Anybody can enter the address of somebody else at some providers, until it is verified.
  if (claim === 'email' && claims.email_verified !== true) return false;
  const found = claimIn(claims, claim);
  return found === value || (Array.isArray(found) && found.includes(value));
}

function claimIn(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>((part, key) => {
    const isObject = typeof part === 'object' && part !== null && Object.hasOwn(part, key);
    return isObject ? (part as Claims)[key] : undefined;
  }, claims);
}

/** The name of a person in logs: a verified e-mail address, else the id at the provider. */
function principalOf(subject: string, { email, email_verified: isVerified }: Claims): string {
  const isUsable = isVerified === true && typeof email === 'string' && EMAIL.test(email);
  return isUsable ? email : `oidc:${subject}`;
}
