import { DEFAULTS, type ProviderConfig } from '../models-config.ts';
import type { Variable } from './read-provider.ts';

/** The vendors whose keys are in the variables that their own tools use. */

const VENDORS = [
  { id: 'openai', key: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL' },
  { id: 'anthropic', key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL' },
  { id: 'google', key: 'GOOGLE_GENERATIVE_AI_API_KEY', address: undefined },
] as const;

export function vendorsInVariables(variable: Variable) {
  const found: [string, ProviderConfig][] = [];
  const problems: string[] = [];
  for (const { id, key, address } of VENDORS) {
    const value = variable(key);
    if (value === undefined || value === '') continue;
    const given = address && variable(address);
    const baseURL = given ? withVersion(given) : undefined;
    if (given && baseURL === undefined) {
      problems.push(`${address} is not an address; write one such as https://models.example.com/v1`);
    }
    found.push([id, { ...DEFAULTS, kind: id, key: { value }, ...(baseURL && { baseURL }) }]);
  }
  return { providers: Object.fromEntries(found), problems };
}

/** Tools differ in whether the variable ends with the version of the API. Without any path, `/v1` is meant. */
function withVersion(address: string): string | undefined {
  if (!/^https?:/.test(address) || !URL.canParse(address)) return undefined;
  const { pathname, origin } = new URL(address);
  return pathname === '/' ? `${origin}/v1` : address.replace(/\/+$/, '');
}
