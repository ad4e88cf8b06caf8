import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostSettings } from '@baton/server';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startTestHost, type TestHost, type TestKey } from '../http/host.ts';
import { launchBrowser } from './launch.mjs';

/** A host with the built console and the examples, and a browser. */
export interface TestConsole {
  readonly url: string;
  host(): TestHost;
  /** A browser of its own, in which the holder of the key is signed in by a link. Without a key: the operator. */
  signedIn(options?: BrowserContextOptions & { readonly key?: string }): Promise<Page>;
  /** A browser in which nobody is signed in. */
  stranger(options?: BrowserContextOptions): Promise<Page>;
  /** Stops the host and starts another one on the same data and port. */
  restart(whileStopped?: () => Promise<void>): Promise<void>;
  /** What went wrong in the pages: errors of scripts, refusals of the content security policy, requests to elsewhere. */
  readonly faults: string[];
  stop(): Promise<void>;
}

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

export async function startConsole(
  workflows: readonly unknown[] = [],
  keys: readonly TestKey[] = [],
): Promise<TestConsole> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'baton-browser-'));
  const settings: Partial<HostSettings> = {
    dataFolder,
    consoleFolder: join(PROJECT, 'apps', 'console', 'dist'),
    workflowsFolder: join(PROJECT, 'examples'),
    builtinWorkflows: workflows,
  };
  let host = await startTestHost(settings, keys);
  const port = Number(new URL(host.url).port);
  const { url } = host;
  const browser = await launchBrowser();
  const faults: string[] = [];

  async function stranger(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    watch(page, url, faults);
    return page;
  }

  return {
    url,
    faults,
    host: () => host,
    stranger,
    async signedIn({ key, ...options } = {}) {
      const page = await stranger(options);
      const { body } = await host.post('/v1/session/codes', undefined, key === undefined ? {} : { key });
      await page.goto(body.url);
      await page.getByRole('navigation', { name: 'Pages' }).first().waitFor();
      return page;
    },
    async restart(whileStopped = async () => undefined) {
      await host.stop();
      await whileStopped();
      host = await startTestHost({ ...settings, port });
    },
    async stop() {
      await close(browser);
      await host.stop();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

async function close(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await browser.close();
}

function watch(page: Page, url: string, faults: string[]): void {
  page.on('pageerror', (error) => void faults.push(error.message));
  page.on('console', (message) => {
    // A refused or lost request is told by the page itself; Chromium writes a line about it all the same.
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text())) {
      faults.push(message.text());
    }
  });
  page.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(url) && !/^(data|blob|about):/.test(address))
      faults.push(`request to ${address}`);
  });
}

/** A run of the gated example that waits for its approval. */
export async function waitingReport(host: TestHost, topic = 'tides'): Promise<string> {
  const { body } = await host.run('vetted-report', { inputs: { topic } });
  if (body.status !== 'waiting-approval') throw new Error(`The run is ${body.status}.`);
  return body.runId;
}
