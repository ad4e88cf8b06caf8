import { readFileSync } from 'node:fs';
import { EVERY_TENANT, type Secrets } from '@baton/engine';
import { isJsonObject, type JsonObject } from '@baton/protocol';
import { requireOwnerOnly } from './owner-only.ts';
import { problemWithSecret } from './secret-rules.ts';

/**
 * The operator's secrets: `{ "<tenant or *>": { "<id>": "<value>" } }`, in a file that only the operator can
 * read.
 */

const ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Errors name places in the file and never repeat its values. */
export function readSecretsFile(file: string): Secrets {
  requireOwnerOnly(file);
  const given = parsed(file);
  const secrets = new Map<string, ReadonlyMap<string, string>>();
  for (const [tenant, own] of Object.entries(given)) {
    if (tenant === '')
      throw new Error(`${file}: a tenant has no name; write one, or ${EVERY_TENANT} for all`);
    if (!isJsonObject(own)) throw new Error(`${file}: "${tenant}" must be an object of ids and values`);
    const values = new Map<string, string>();
    for (const [id, value] of Object.entries(own)) {
      const problem = problemWith(tenant, id, value);
      if (problem !== undefined) throw new Error(`${file}: ${named(id, value)} of "${tenant}" ${problem}`);
      values.set(id, value as string);
    }
    secrets.set(tenant, values);
  }
  return secrets;
}

/** An id that holds the value is not repeated. */
function named(id: string, value: unknown): string {
  return typeof value === 'string' && id.includes(value) ? 'a secret' : `the secret "${id}"`;
}

function parsed(file: string): JsonObject {
  let given: unknown;
  try {
    given = JSON.parse(readFileSync(file, 'utf8'));
  } catch (problem) {
    // The message of the parser would repeat parts of the file.
    if (problem instanceof SyntaxError) throw new Error(`${file} is not valid JSON`);
    throw problem;
  }
  if (!isJsonObject(given)) throw new Error(`${file} must hold an object of tenants`);
  return given;
}

function problemWith(tenant: string, id: string, value: unknown): string | undefined {
  if (!ID.test(id)) return 'must have an id of 1 to 128 letters, digits, dots, dashes and underscores';
  return typeof value === 'string' ? problemWithSecret(tenant, id, value) : 'must be a string';
}
