import { isObject } from '../../../ui/content/value-text.ts';

/** The discovery document in groups that people can read. */

interface CapabilityFact {
  readonly name: string;
  readonly value: string;
}

interface CapabilityGroup {
  readonly title: string;
  readonly facts: readonly CapabilityFact[];
}

/** The parts of the document in the order in which they are shown. Parts that are not named here follow. */
const TITLES: Readonly<Record<string, string>> = {
  limits: 'Limits of runs',
  hostLimits: 'Limits of the host',
  agents: 'Agents',
  multiAgent: 'Agents that work together',
  budget: 'Budgets',
  aiProviders: 'Providers of models',
  toolHooks: 'Tools',
  memory: 'Memory',
  replay: 'Forks and replays',
  runs: 'Runs',
  subWorkflow: 'Sub-workflows',
  workspace: 'Files',
  secrets: 'Secrets',
  webhooks: 'Webhooks',
  auth: 'Audit',
  authorization: 'Roles',
};

/** `capabilities` repeats the other parts, and `authorization.roles` has a table of its own. */
const LEFT_OUT = new Set(['capabilities']);

export function capabilityGroups(document: Readonly<Record<string, unknown>>): readonly CapabilityGroup[] {
  const single: CapabilityFact[] = [];
  const groups = new Map<string, readonly CapabilityFact[]>();
  for (const [name, value] of Object.entries(document)) {
    if (LEFT_OUT.has(name)) continue;
    if (isObject(value)) groups.set(name, factsOf(value, []));
    else single.push({ name: words(name), value: textOf(value) });
  }
  const order = [...Object.keys(TITLES), ...groups.keys()];
  const named = [...new Set(order)].flatMap((name) => {
    const facts = groups.get(name) ?? [];
    return facts.length === 0 ? [] : [{ title: TITLES[name] ?? words(name), facts }];
  });
  return single.length === 0 ? named : [{ title: 'Protocol', facts: single }, ...named];
}

function factsOf(
  value: Readonly<Record<string, unknown>>,
  above: readonly string[],
): readonly CapabilityFact[] {
  return Object.entries(value).flatMap(([name, part]) => {
    const path = [...above, words(name).toLowerCase()];
    if (isObject(part)) return factsOf(part, path);
    if (Array.isArray(part) && part.some(isObject)) return [];
    return [{ name: sentence(path.join(', ')), value: textOf(part) }];
  });
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return value.toLocaleString('en');
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(String).join(', ');
  return value === null ? 'None' : String(value);
}

/** "maxRunDurationMs" as "Max run duration ms". */
function words(name: string): string {
  return sentence(
    name
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .replaceAll(/[-_]/g, ' ')
      .toLowerCase(),
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export interface Role {
  readonly role: string;
  readonly scopes: readonly string[];
}

export function rolesOf(document: Readonly<Record<string, unknown>>): readonly Role[] {
  const { authorization } = document;
  const roles = isObject(authorization) ? authorization.roles : undefined;
  if (!Array.isArray(roles)) return [];
  return roles
    .filter(isObject)
    .flatMap(({ role, scopes }) =>
      typeof role === 'string' && Array.isArray(scopes) ? [{ role, scopes: scopes.map(String) }] : [],
    );
}
