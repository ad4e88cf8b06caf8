import type { SecretOf } from './connected-tool.ts';
import type { ConfiguredValue, ConfiguredValues } from './tools-config.ts';

/** The texts of configured values, and those of them that must not be shown. */
interface Resolved {
  readonly values: Readonly<Record<string, string>>;
  readonly hidden: readonly string[];
}

/** Secrets are looked up with every call, so that a changed secret is used at once. */
export async function resolveValues(
  configured: ConfiguredValues,
  tenant: string,
  secretOf: SecretOf,
): Promise<Resolved | { readonly missing: string }> {
  const values: Record<string, string> = {};
  const hidden: string[] = [];
  for (const [name, value] of Object.entries(configured)) {
    const text = value.kind === 'secret' ? await secretOf(tenant, value.name) : value.text;
    if (text === undefined) return { missing: value.kind === 'secret' ? value.name : name };
    values[name] = value.kind === 'plain' ? text : value.prefix + text;
    if (value.kind !== 'plain') hidden.push(text);
  }
  return { values, hidden };
}

/** The names of the secrets among configured values. */
export function secretsIn(configured: ConfiguredValues): readonly string[] {
  return Object.values(configured).flatMap((value: ConfiguredValue) =>
    value.kind === 'secret' ? [value.name] : [],
  );
}
