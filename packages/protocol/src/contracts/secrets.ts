import Type from 'typebox';
import { PutSecret, SecretEntry, SecretName } from '../schemas/secrets.ts';
import { json, type Routes } from './contract.ts';

/** Secrets of a tenant that are set while the host runs. No route answers with a value. */

const SecretParams = Type.Object({ name: SecretName });

export const SECRET_CONTRACTS = {
  listSecrets: {
    method: 'GET',
    path: '/v1/secrets',
    access: 'secrets:write',
    idempotent: 'always',
    tag: 'secrets',
    summary: 'The names of the secrets of the tenant',
    description: 'Shows names and dates, never values. The secrets of the secrets file are not listed.',
    responses: { 200: json(Type.Object({ secrets: Type.Array(SecretEntry) })) },
    refusals: [],
  },
  putSecret: {
    method: 'PUT',
    path: '/v1/secrets/{name}',
    access: 'secrets:write',
    idempotent: 'always',
    tag: 'secrets',
    summary: 'Set a secret of the tenant',
    description:
      'The value is encrypted before it is stored. From the answer on, models and tools of the tenant can use it, ' +
      'and it is redacted in everything that the host records and sends. It takes the place of an earlier value ' +
      'with this name, and comes before a secret of the same name in the secrets file.',
    params: SecretParams,
    body: PutSecret,
    responses: { 200: json(SecretEntry) },
    refusals: ['secret_limit_reached'],
  },
  deleteSecret: {
    method: 'DELETE',
    path: '/v1/secrets/{name}',
    access: 'secrets:write',
    idempotent: 'always',
    tag: 'secrets',
    summary: 'Delete a secret of the tenant',
    description: 'The value cannot be used any more. It is still redacted until the host is restarted.',
    params: SecretParams,
    responses: { 204: { description: 'The secret is gone', content: {} } },
    refusals: [],
  },
  rotateSecrets: {
    method: 'POST',
    path: '/v1/host/secrets:rotate',
    access: 'host:operate',
    // Each rotation makes a key.
    idempotent: 'never',
    tag: 'operations',
    summary: 'Encrypt the secrets of all tenants with a new key',
    description: 'The keys before are removed once no secret needs them any more.',
    responses: {
      200: json(
        Type.Object({
          keyId: Type.String({ description: 'The new key' }),
          secrets: Type.Integer({ minimum: 0, description: 'Secrets that the new key protects' }),
          unreadable: Type.Integer({
            minimum: 0,
            description: 'Secrets that could not be opened. They stay as they are; set or delete them.',
          }),
        }),
      ),
    },
    refusals: [],
  },
} as const satisfies Routes;
