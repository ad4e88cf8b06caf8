import { EVERY_TENANT, type Secrets, SHORTEST_SECRET } from '@baton/engine';
import type { HostSettings } from '../settings.ts';

type Configured = Pick<HostSettings, 'models' | 'tools'>;

/**
 * Adds the keys in the settings of models and tools to the secrets of all tenants, so that they are redacted if a
 * model or a tool repeats one. No agent can use them by their names.
 */
export function withConfiguredKeys(secrets: Secrets, settings: Configured): Secrets {
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
