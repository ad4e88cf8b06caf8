import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished } from 'vitest';
import { readOidcSettings } from '../../packages/cli/src/settings/oidc-settings.ts';
import { emptyFolder } from '../empty-folder.ts';
import { eventually } from '../eventually.ts';
import { FIRST, filesOf, SERVER } from '../peers/certificates.ts';
import { type Collector, startCollector } from '../traces/collector.ts';
import { type DocumentedHost, startDocumentedHost } from './documented-host.ts';
import { everySnippetOf, snippetsOf } from './every-snippet.ts';
import { ROOT } from './pages.ts';
import { asProgram, openShell, type Shell } from './shell.ts';

/** The pages with commands of `baton`, as a reader enters them in the folder of the host. */
const collector: Collector = await startCollector();
// The page about traces shows how this host is started.
const [start] = snippetsOf('docs/how-to/traces.md');
const command = start?.text.replace('http://127.0.0.1:4318', new URL(collector.url).origin);
const host: DocumentedHost = await startDocumentedHost({ command: command ?? '' });
afterAll(async () => {
  await host?.stop();
  await collector?.stop();
});

const STARTS = /[0-9a-f]{8}-[0-9a-f-]{27}/;

/** A shell whose commands all have to succeed, except for those that the test names. */
function shellHere(parts: Partial<Parameters<typeof openShell>[0]> = {}) {
  const shell: Shell = openShell({ folder: host.folder, ...parts });
  onTestFinished(() => shell.close());
  return async (snippet: string, ...failures: readonly string[]): Promise<string> => {
    const { out, failed } = await shell.enter(snippet);
    expect(failed, out).toEqual(failures);
    return out;
  };
}

everySnippetOf('docs/how-to/traces.md', async (take) => {
  expect(take('sh')).toMatch(/ npm start\n$/);
  await shellHere()('npx baton run hello');
  await eventually(() => expect(collector.spans.length).toBeGreaterThan(0));
  expect(String(collector.messages[0]?.body)).toContain('"stringValue":"desk"');
});

everySnippetOf('docs/how-to/terminal.md', async (take) => {
  const out = await shellHere()(take('sh'), '4: npx baton tail $RUN --until-waiting');
  expect(out).toMatch(/✓ +report .*operator/);
  expect(out).toContain('before event 4');
  const objects = (await shellHere()(take('sh'))).trim().split('\n');
  expect(objects.map((line) => typeof JSON.parse(line))).toEqual(objects.map(() => 'object'));
});

everySnippetOf('docs/how-to/console.md', async (take) => {
  const link = /http:\S+\/#code=\S+/;
  expect(take('')).toMatch(/^ {2}console +http:\S+\/#code=…\n$/);
  const enter = shellHere();
  expect(await enter(take('sh'))).toMatch(link);
  expect(await enter(take('sh'))).toMatch(link);
  const callback = take('').trim();
  const given = Object.fromEntries(
    take('sh')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  expect(callback).toBe(`${given.BATON_PUBLIC_URL}/v1/session/oidc/callback`);
  const all: Record<string, string> = { ...given, BATON_OIDC_ROLES: take('json') };
  const problems: string[] = [];
  const settings = readOidcSettings((name) => all[name], problems);
  expect(problems).toEqual([]);
  expect(settings).toMatchObject({ issuer: given.BATON_OIDC_ISSUER });
});

everySnippetOf('docs/how-to/bundles.md', async (take) => {
  const enter = shellHere();
  expect(await enter(take('sh'))).toContain('Every log agrees with its hash chain.');
  // It would run until it is stopped. packages/cli/src/main.test.ts enters it, and stops it.
  expect(take('sh')).toBe('npx baton open run.json\n');
  const authorization = `Bearer ${readFileSync(join(host.folder, '.baton', 'dev-key'), 'utf8')}`;
  const answer = await fetch(`${host.url}/v1/audit/key`, { headers: { authorization } });
  writeFileSync(join(host.folder, 'audit-key.pem'), (await answer.json()).publicKey);
  expect(await enter(take('sh'))).toContain('Signed with ');
});

everySnippetOf('docs/operations.md', async (take) => {
  const enter = shellHere();
  const kept = await enter(take('sh'));
  expect(kept).toMatch(/bo +\S+ \S+ +- +runs:create,runs:read/);
  const [, revoked] = /(key_\w+) for bo/.exec(kept) ?? [];
  expect(await enter('npx baton keys list')).toMatch(new RegExp(`${revoked} +acme +bo +\\S+ \\S+ +\\d{4}-`));
  expect(kept).toContain('is restored to');
  expect(await enter(take('sh'))).toContain('Every log agrees with its hash chain.');
  // No run of this host has stopped its engine.
  expect(await enter(take('sh'), '1: npx baton release $RUN')).toMatch(
    /No run is held\..*The run is not held\./s,
  );
});

/** A proxy that serves the public documents of a host over TLS. Returns its address. */
async function overTls(url: string): Promise<string> {
  const proxy = createServer({ cert: SERVER.pem, key: SERVER.key }, async (request, response) => {
    response.end(await (await fetch(`${url}${request.url}`)).text());
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    proxy.close();
  });
  return `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

everySnippetOf('docs/how-to/across-hosts.md', async (take) => {
  // Peers are kept in the data folder, so these commands need no host of their own. The host of this test is acme.
  const folder = emptyFolder();
  const known = await shellHere({ folder, standIns: { 'https://baton.acme.example': host.url } })(take('sh'));
  expect(known).toMatch(/host id +host-\w+\n.*vendor/s);

  const secure = await overTls(host.url);
  const { file, keyFile, caFile } = filesOf(FIRST);
  const env = { NODE_EXTRA_CA_CERTS: caFile };
  const files = { 'we.pem': file, 'we.key': keyFile };
  const calls = shellHere({ folder, env, standIns: { ...files, 'https://baton.acme.example': secure } });
  expect(await calls(take('sh'))).toContain(`peer       acme, ${secure}`);
  const other = { BATON_DATA: join(folder, 'called'), ...env };
  const called = shellHere({
    folder,
    env: other,
    standIns: { ...files, 'https://baton.we.example': secure },
  });
  expect(await called(take('sh'))).toMatch(/accepts +certificate [0-9A-F:]+\n.*may use +translate/s);
  expect(await shellHere()(take('sh'))).toMatch(STARTS);
});

everySnippetOf('docs/how-to/project.md', async (take) => {
  // The packages of this project stand for the installed ones.
  symlinkSync(join(ROOT, 'node_modules'), join(host.folder, 'node_modules'));
  const enter = shellHere({ env: { BATON_DATA: join(host.folder, '.baton') } });
  expect(await enter(take('sh'))).toMatch(/# fail 0/);
  const { baton } = JSON.parse(take('json'));
  expect(JSON.parse(readFileSync(join(host.folder, 'demo/package.json'), 'utf8')).baton).toEqual(baton);
  expect(await enter(take('sh'))).toMatch(/"brief" is valid.*approve: one person/s);
  expect(await enter(take('sh'))).toMatch(/local\.research-team\.critic/);
  expect(await enter(take('sh'))).toMatch(/✓ host +answers at/);
});

everySnippetOf('packages/client/README.md', async (take) => {
  const key = readFileSync(join(host.folder, '.baton/dev-key'), 'utf8').trim();
  const enter = shellHere({
    folder: ROOT,
    standIns: { 'http://127.0.0.1:4747': host.url, "'a-key'": `'${key}'` },
  });
  expect(await enter(asProgram(take('ts')))).toMatch(/run\.completed.*All about tides/s);
  const away = shellHere({ folder: ROOT, standIns: { '127.0.0.1:4747': '127.0.0.1:1' } });
  expect(await away(asProgram(take('ts')))).toBe('Start the host with "baton serve".\n');
});
