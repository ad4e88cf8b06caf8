import { readFileSync } from 'node:fs';
import { isScope, type Scope } from '@baton/protocol';
import type { OidcRule, OidcSettings } from '@baton/server';
import { isLoopback } from '../loopback.ts';

/** The OpenID provider with which people sign in to the console. */

export const OIDC_SETTINGS = [
  {
    name: 'BATON_OIDC_ISSUER',
    value: 'url',
    unset: 'none',
    meaning: 'OpenID provider with which people sign in to the console, such as https://id.example.com',
  },
  {
    name: 'BATON_OIDC_CLIENT_ID',
    value: 'id',
    unset: 'none',
    meaning: 'id of this host at the OpenID provider',
  },
  {
    name: 'BATON_OIDC_CLIENT_SECRET',
    value: 'secret',
    unset: 'none',
    meaning: 'secret of this host at the OpenID provider',
  },
  {
    name: 'BATON_OIDC_ROLES',
    value: 'rules',
    unset: 'none',
    meaning: 'who gets in, as JSON or the name of a JSON file: a list of claim, value, tenant and role',
  },
] as const;

type Name = (typeof OIDC_SETTINGS)[number]['name'];

const EXAMPLE = '[{"claim": "groups", "value": "baton-ops", "tenant": "default", "role": "operator"}]';

/** A wrong value is not repeated, because one of them is a secret. */
export function readOidcSettings(
  given: (name: Name) => string | undefined,
  problems: string[],
): OidcSettings | undefined {
  const [issuer, clientId, clientSecret, roles] = OIDC_SETTINGS.map(({ name }) => given(name));
  if (issuer === undefined && clientId === undefined && clientSecret === undefined && roles === undefined) {
    return undefined;
  }
  if (!issuer || !clientId || !clientSecret || !roles) {
    problems.push(`${OIDC_SETTINGS.map(({ name }) => name).join(', ')} belong together; set all, or none`);
    return undefined;
  }
  if (!isIssuer(issuer)) {
    problems.push(
      `BATON_OIDC_ISSUER is "${issuer}"; write an https address without query, as the provider names itself`,
    );
    return undefined;
  }
  const rules = rulesIn(roles);
  if ('rules' in rules) return { issuer, clientId, clientSecret, rules: rules.rules };
  problems.push(`BATON_OIDC_ROLES ${rules.wrong}`);
  return undefined;
}

/** Without TLS, only a provider on this machine can be trusted. */
function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.search !== '' || url.hash !== '' || url.username !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

type Rules = { readonly rules: readonly OidcRule[] } | { readonly wrong: string };

function rulesIn(given: string): Rules {
  const text = given.trim().startsWith('[') ? given : textOf(given);
  if (text === undefined) return { wrong: `is "${given}", which cannot be read; write ${EXAMPLE}` };
  const value = parsed(text);
  if (!Array.isArray(value) || value.length === 0) return { wrong: `is no list of rules; write ${EXAMPLE}` };
  const rules: OidcRule[] = [];
  for (const [index, one] of value.entries()) {
    const rule = ruleIn(one);
    if (typeof rule === 'string') return { wrong: `has a mistake in rule ${index + 1}: ${rule}` };
    rules.push(rule);
  }
  return { rules };
}

const FIELDS = ['claim', 'value', 'tenant', 'role', 'scopes'];

/** The rule, or what is wrong with it. */
function ruleIn(given: unknown): OidcRule | string {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return `write it as in ${EXAMPLE}`;
  const { claim, value, tenant, role, scopes } = given as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return `${unknown} is not known here; write ${FIELDS.join(', ')}`;
  if (!isText(claim) || !isText(value) || !isText(tenant)) return 'claim, value and tenant must be texts';
  if (tenant === '*') return 'the tenant "*" means all tenants; name one';
  if (role === undefined && scopes === undefined) return 'it gives no rights; add role or scopes';
  // The host compares the name with its roles; to load them here would make the start slower.
  if (role !== undefined && !isText(role)) return 'role must be the name of a role, such as viewer';
  if (scopes !== undefined && !areScopes(scopes)) {
    return 'scopes must be a list of scopes, such as ["runs:read"]';
  }
  return {
    claim,
    value,
    tenant,
    ...(role !== undefined && { role }),
    ...(scopes !== undefined && { scopes }),
  };
}

function areScopes(value: unknown): value is readonly Scope[] {
  return Array.isArray(value) && value.every((scope) => typeof scope === 'string' && isScope(scope));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 256;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
