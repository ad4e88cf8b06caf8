import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  EVERY_TENANT,
  type OpenVault,
  openVault,
  SEALING_KEY_BYTES,
  type SecretChange,
  type Secrets,
  SHORTEST_SECRET,
} from '@baton/engine';
import { isJsonObject, type JsonObject } from '@baton/protocol';
import type { HostSettings } from '../settings.ts';
import type { StoredKey, StoredKeys } from '../storage/open-storage.ts';
import { requireOwnerOnly } from './owner-only.ts';
import { problemWithSecret } from './secret-rules.ts';

/** The data with which both threads open the same vault. It is sent between the threads and never stored. */
export interface VaultContents {
  readonly secrets: Secrets;
  readonly sealingKey: Uint8Array;
  /** The changes since the start of the host. */
  readonly changes: readonly SecretChange[];
}

/** The vault of the main thread. */
interface HostVault {
  readonly vault: OpenVault;
  /** The contents at this moment. */
  present(): VaultContents;
}

/** `more` adds secrets to those of the operator. */
export async function openHostVault(
  keys: StoredKeys,
  settings: Pick<HostSettings, 'secretsFile' | 'sealingKey' | 'models' | 'tools'>,
  more: (secrets: Secrets) => Secrets = (secrets) => secrets,
): Promise<HostVault> {
  const { secretsFile, sealingKey } = settings;
  const given = secretsFile === undefined ? new Map() : readSecretsFile(secretsFile);
  const secrets = more(withConfiguredKeys(given, settings));
  // Copied, because a buffer may share its memory with others, and all of it would be sent to the thread.
  const key = new Uint8Array(await loadSealingKey(keys, sealingKey));
  const contents = { secrets, sealingKey: key, changes: [] };
  const vault = vaultOf(contents);
  return { vault, present: () => ({ ...contents, changes: vault.changes() }) };
}

export function vaultOf({ secrets, sealingKey, changes }: VaultContents): OpenVault {
  const vault = openVault(secrets, sealingKey);
  changes.forEach(vault.change);
  return vault;
}

type Configured = Pick<HostSettings, 'models' | 'tools'>;

/**
 * Adds the keys in the settings of models and tools to the secrets of all tenants, so that they are redacted if a
 * model or a tool repeats one. No agent can use them by their names.
 */
function withConfiguredKeys(secrets: Secrets, settings: Configured): Secrets {
  const keys = configuredKeys(settings).filter(({ value }) => value.length >= SHORTEST_SECRET);
  if (keys.length === 0) return secrets;
  const shared = new Map(secrets.get(EVERY_TENANT));
  for (const { name, value } of keys) shared.set(`configured.${name}`, value);
  return new Map([...secrets, [EVERY_TENANT, shared]]);
}

interface ConfiguredKey {
  readonly name: string;
  readonly value: string;
}

function configuredKeys({ models, tools }: Configured): readonly ConfiguredKey[] {
  const found: ConfiguredKey[] = [];
  for (const [id, { key }] of Object.entries(models?.providers ?? {})) {
    if (key !== undefined && 'value' in key) found.push({ name: id, value: key.value });
  }
  const values = [
    ...(tools?.http ?? []).map(({ name, headers }) => ({ name, given: headers })),
    ...(tools?.mcp ?? []).map(({ name, connection }) => ({
      name,
      given: connection.kind === 'stdio' ? connection.env : connection.headers,
    })),
  ];
  for (const { name, given } of values) {
    for (const [field, value] of Object.entries(given)) {
      if (value.kind === 'env') found.push({ name: `${name}.${field}`, value: value.text });
    }
  }
  return found;
}

/**
 * The key that seals sensitive values. Without it these values are lost. A key that is not given is stored
 * with the data.
 */
async function loadSealingKey(keys: StoredKeys, given?: string): Promise<Buffer> {
  if (given !== undefined) return keyIn({ text: given, where: 'The sealing key' });
  return keyIn(await keys.keepKey('sealing', () => randomBytes(SEALING_KEY_BYTES).toString('hex')));
}

function keyIn({ text, where }: StoredKey): Buffer {
  const key = Buffer.from(text, 'hex');
  if (key.length === SEALING_KEY_BYTES && text.length === 2 * SEALING_KEY_BYTES) return key;
  throw new Error(`${where} does not hold ${SEALING_KEY_BYTES} bytes in hexadecimal digits; restore it`);
}

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
