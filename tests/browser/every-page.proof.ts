import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { startConsole, type TestConsole, waitingReport } from './kit.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PAGES: readonly (readonly [name: string, path: string, heading: RegExp])[] = [
  ['overview', '/', /./],
  ['runs', '/runs', /Runs/],
  ['run', '/runs/RUN', /vetted-report/],
  ['merge gate', '/runs/RUN?view=merges', /vetted-report/],
  ['state', '/runs/RUN?view=state', /vetted-report/],
  ['comparison', '/compare/RUN/OTHER', /Compare/],
  ['inbox', '/inbox', /Inbox/],
  ['workflows', '/workflows', /Workflows/],
  ['workflow', '/workflows/vetted-report', /vetted-report/],
  ['agents', '/agents', /Agents/],
  ['host', '/host', /Host/],
  ['unknown page', '/nowhere', /Not found/],
  ['unknown run', '/runs/no-such-run', /./],
];
const site: TestConsole = await startConsole();
const runId: string = await waitingReport(site.host());
const otherId: string = await waitingReport(site.host(), 'owls');
const wide: Page = await site.signedIn({ viewport: { width: 1440, height: 900 } });
const phone: Page = await site.signedIn({
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
});
afterAll(async () => {
  await site.stop();
  expect(site.faults).toEqual([]);
});

async function open(page: Page, path: string, heading: RegExp): Promise<void> {
  await page.goto(site.url + path.replace('RUN', runId).replace('OTHER', otherId));
  await page.getByRole('heading', { name: heading }).first().waitFor();
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe finds. Its script is given to the page through the debugger, because the policy of the page allows none. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const found = (await page.evaluate(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((result) => result.violations)",
  )) as readonly Violation[];
  // A graph is drawn as small as it needs to be; its list has the same buttons in full size.
  const inGraph = ({ id, nodes }: Violation) =>
    id === 'target-size' && nodes.every(({ html }) => html.includes('nopan'));
  return found
    .filter((violation) => !inGraph(violation))
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
}

describe.each(PAGES)('the page "%s"', (_, path, heading) => {
  it.each(['light', 'dark'] as const)('has no fault that axe finds in the %s theme', async (colorScheme) => {
    await wide.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await open(wide, path, heading);
    expect(await violations(wide)).toEqual([]);
  });

  it('fits on a phone', async () => {
    await open(phone, path, heading);
    const [content, screen] = (await phone.evaluate(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )) as [number, number];
    expect(content).toBeLessThanOrEqual(screen);
    expect(await violations(phone)).toEqual([]);
  });
});
