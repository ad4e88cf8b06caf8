import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readOidcSettings } from './oidc-settings.ts';

const RULE = { claim: 'groups', value: 'ops', tenant: 'default', role: 'viewer' };
const GIVEN: Readonly<Record<string, string>> = {
  BATON_OIDC_ISSUER: 'https://id.example/realm',
  BATON_OIDC_CLIENT_ID: 'baton',
  BATON_OIDC_CLIENT_SECRET: 'hidden-secret',
  BATON_OIDC_ROLES: JSON.stringify([RULE]),
};

function read(more: Readonly<Record<string, string | undefined>>) {
  const problems: string[] = [];
  return { settings: readOidcSettings((name) => ({ ...GIVEN, ...more })[name], problems), problems };
}

it('reads all of it, from a text or a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-oidc-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'roles.json');
  writeFileSync(file, JSON.stringify([{ ...RULE, scopes: ['host:operate'] }]));
  expect(read({}).settings?.rules).toEqual([RULE]);
  expect(read({ BATON_OIDC_ROLES: file }).settings).toEqual({
    issuer: 'https://id.example/realm',
    clientId: 'baton',
    clientSecret: 'hidden-secret',
    rules: [{ ...RULE, scopes: ['host:operate'] }],
  });
  expect(read({ BATON_OIDC_ISSUER: 'http://127.0.0.1:9000' }).problems).toEqual([]);
});

it('reads nothing where nothing is set', () => {
  const problems: string[] = [];
  expect([readOidcSettings(() => undefined, problems), problems]).toEqual([undefined, []]);
});

const rules = (...given: unknown[]) => ({ BATON_OIDC_ROLES: JSON.stringify(given) });

it.each<[string, Readonly<Record<string, string | undefined>>]>([
  ['belong together', { BATON_OIDC_CLIENT_SECRET: undefined }],
  ['belong together', { BATON_OIDC_ROLES: undefined }],
  ['write an https address', { BATON_OIDC_ISSUER: 'http://id.example' }],
  ['write an https address', { BATON_OIDC_ISSUER: 'id.example' }],
  ['write an https address', { BATON_OIDC_ISSUER: 'https://id.example/?x' }],
  ['cannot be read', { BATON_OIDC_ROLES: '/no/such/file.json' }],
  ['no list of rules', { BATON_OIDC_ROLES: '[' }],
  ['no list of rules', rules()],
  ['rule 1: write it as', rules('operator')],
  ['rule 2: color is not known', rules(RULE, { ...RULE, color: 'red' })],
  ['must be texts', rules({ ...RULE, value: ['ops'] })],
  ['must be texts', rules({ ...RULE, claim: '' })],
  ['means all tenants', rules({ ...RULE, tenant: '*' })],
  ['no rights', rules({ ...RULE, role: undefined })],
  ['name of a role', rules({ ...RULE, role: 7 })],
  ['list of scopes', rules({ ...RULE, scopes: ['everything'] })],
])('says what is wrong: %s', (problem, more) => {
  const { settings, problems } = read(more);
  expect([settings, problems.length]).toEqual([undefined, 1]);
  expect(problems[0]).toContain(problem);
  expect(problems[0]).not.toContain('hidden-secret');
});
