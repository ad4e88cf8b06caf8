import { SCOPES } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { authorize, type ResolveRoles, ROLE_NAMES, ROLES } from './authorization.ts';

const ask = (resolve: ResolveRoles, action = 'runs:cancel') =>
  authorize({ principal: 'ana', action, resource: 'run-1' }, resolve);

describe('a principal with a role', () => {
  const table = ROLE_NAMES.flatMap((role) => SCOPES.map((scope) => [role, scope] as const));

  it.each(table)('%s: may do %s only if the role says so', (role, scope) => {
    const { allowed, reason } = ask(() => [role], scope);
    expect(allowed).toBe((ROLES[role] as readonly string[]).includes(scope));
    expect(reason).toContain(role);
  });

  it('may do what any of the roles says', () => {
    expect(ask(() => ['viewer', 'runner']).allowed).toBe(true);
    expect(ask(() => ['viewer', 'auditor']).allowed).toBe(false);
  });

  it('gains nothing from a role that does not exist, and loses nothing', () => {
    expect(ask(() => ['emperor', 'runner']).allowed).toBe(true);
    expect(ask(() => ['emperor', 'viewer']).allowed).toBe(false);
  });
});

describe('whatever is not clear is denied', () => {
  const cases: [what: string, resolve: ResolveRoles, action: string | undefined, reason: RegExp][] = [
    ['a principal that nobody knows', () => undefined, undefined, /"ana" is not known/],
    ['a principal without a role', () => [], undefined, /no role/],
    ['a role that does not exist', () => ['emperor'], undefined, /"emperor"/],
    ['a role in the wrong case', () => ['Operator'], undefined, /"Operator"/],
    ['a role named like a part of every object', () => ['constructor', '__proto__'], undefined, /no role/],
    ['an action that does not exist', () => ['operator'], 'runs:fly', /"runs:fly"/],
    ['a prefix of an action', () => ['operator'], 'runs', /"runs"/],
    ['an empty action', () => ['operator'], '', /not an action/],
    [
      'a resolver that throws',
      () => {
        throw new Error('password=hunter2');
      },
      undefined,
      /^the roles could not be looked up$/,
    ],
  ];

  it.each(cases)('%s', (_what, resolve, action, reason) => {
    expect(ask(resolve, action)).toEqual({ allowed: false, reason: expect.stringMatching(reason) });
  });
});

it('lets nobody but the operator override an approval', () => {
  const able = ROLE_NAMES.filter((role) => ask(() => [role], 'approvals:override').allowed);
  expect(able).toEqual(['operator']);
});
