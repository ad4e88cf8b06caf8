import './node-version.mjs';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from './project.mjs';
import { ensureReady } from './ready.mjs';
import { installBrowserWhenNeeded } from './test-browser.mjs';
import { parsedOptions } from './usage.mjs';

const USAGE = `npm run screenshots   makes the pictures of the console in docs/images, on a host with the examples and
                      a few runs`;

const FOLDER = inProject('docs', 'images');
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

parsedOptions(USAGE);
await ensureReady();
await installBrowserWhenNeeded();
const { launchBrowser } = await import('../tests/browser/launch.mjs');
const { connect } = await import('@baton/client');
mkdirSync(FOLDER, { recursive: true });
const data = mkdtempSync(join(tmpdir(), 'baton-pictures-'));
const { host, started } = await startHost();
const browser = await launchBrowser();
try {
  await takeAll();
} finally {
  await browser.close();
  host.kill();
  rmSync(data, { recursive: true, force: true });
}

function startHost() {
  const args = [inProject('scripts', 'serve-examples.mjs'), '--port', '0', '--data', data, '--json'];
  const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let text = '';
    host.on('exit', (code) => reject(new Error(`The host ended with exit code ${code}.`)));
    host.stdout.on('data', (chunk) => {
      text += chunk;
      const line = text.indexOf('\n');
      if (line !== -1) resolve({ host, started: JSON.parse(text.slice(0, line)) });
    });
  });
}

async function takeAll() {
  const baton = connect({ url: started.url, key: started.developmentKey });
  const first = await signedIn(started.consoleLink, WIDE, 'light');
  await take(first, '/', 'welcome');
  const ended = await baton.runs.start('vetted-report', { topic: 'tides' });
  await waiting(baton, ended);
  await ended.answer({ action: 'accept' });
  await ended.result();
  const run = await baton.runs.start('vetted-report', { topic: 'owls' });
  await waiting(baton, run);
  for (const name of ['Ada', 'Grace']) await baton.runs.start('hello', { name });
  const branch = await ended.branch({ at: 3 });
  await take(first, '/runs', 'runs');
  await take(first, `/runs/${run.id}`, 'run');
  await take(first, `/runs/${ended.id}?view=merges`, 'merge-gate');
  await take(first, `/compare/${ended.id}/${branch.runId}`, 'compare');
  await take(first, '/inbox', 'inbox');
  await take(first, '/workflows/vetted-report', 'workflow');
  await take(first, '/agents', 'agents');
  await take(first, '/host', 'host');
  const { url } = await baton.session.createCode();
  await take(await signedIn(url, WIDE, 'dark'), `/runs/${run.id}`, 'run-dark');
  const second = await baton.session.createCode();
  await take(await signedIn(second.url, PHONE, 'light'), '/inbox', 'inbox-phone');
}

async function waiting(baton, run) {
  for await (const snapshot of baton.run(run.id).values()) if (snapshot.status.startsWith('waiting')) return;
}

async function signedIn(link, viewport, colorScheme) {
  const page = await (await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })).newPage();
  await page.goto(link);
  await page.getByRole('navigation', { name: 'Pages' }).first().waitFor();
  return page;
}

async function take(page, path, name) {
  await page.goto(new URL(path, started.url).href);
  await page.waitForLoadState('load');
  await page.getByRole('heading').first().waitFor();
  // Graphs and editors are loaded after the page, and say nothing when they are complete.
  await page.waitForTimeout(2500);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  console.log(`docs/images/${name}.png`);
}
