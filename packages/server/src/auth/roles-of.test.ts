import type { ApiKey } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { rolesOf } from './keyring.ts';

const key = (more: Partial<ApiKey>): ApiKey => ({
  id: 'k',
  hash: 'h',
  tenant: 'acme',
  principal: 'ana',
  scopes: ['runs:read'],
  createdAt: 0,
  ...more,
});

const keys = [
  key({ roles: ['viewer'] }),
  key({ roles: ['viewer', 'runner'] }),
  key({ roles: ['operator'], revokedAt: 1 }),
  key({ roles: ['auditor'], tenant: 'other' }),
  key({ principal: 'bo' }),
  key({ principal: 'cy', roles: ['viewer'], revokedAt: 1 }),
];

it.each([
  ['those of every key that is still good', 'acme', 'ana', ['viewer', 'runner']],
  ['of another tenant are others', 'other', 'ana', ['auditor']],
  ['none where scopes were given one by one', 'acme', 'bo', []],
  ['unknown once all keys are revoked', 'acme', 'cy', undefined],
  ['unknown for a stranger', 'acme', 'eve', undefined],
  ['the operator has its own', 'default', 'operator', ['operator']],
  ['the operator is nobody elsewhere', 'acme', 'operator', undefined],
])('%s', async (_title, tenant, principal, roles) => {
  expect((await rolesOf({ keys: async () => keys }, tenant))(principal)).toEqual(roles);
});
