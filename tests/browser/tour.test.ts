import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { startConsole, type TestConsole, waitingReport } from './kit.ts';

/** The way of a person through the console: sign in, run, approve, rewind. */
const site: TestConsole = await startConsole();
const page: Page = await site.signedIn();
afterAll(async () => {
  await site.stop();
  expect(site.faults).toEqual([]);
});

it('shows an example happen that was started from the welcome page', async () => {
  await page.goto(`${site.url}/`);
  const example = page.getByRole('button', { name: /Start the example/ });
  await example.first().click();
  await page.waitForURL(/\/runs\/[0-9a-f-]+/);
  await page.getByText('run.started').first().waitFor();
  expect((await site.host().get('/v1/runs')).body.runs).toHaveLength(1);
});

it('merges what a person accepts, and shows the run as it was before', async () => {
  const runId = await waitingReport(site.host());
  await page.goto(`${site.url}/runs/${runId}`);
  await page.getByRole('link', { name: 'Answer' }).click();
  await page.getByRole('button', { name: 'Accept', exact: true }).click();
  await page.getByLabel('Comment').fill('Checked by hand');
  await page.getByRole('dialog').getByRole('button', { name: 'Accept', exact: true }).click();
  await site.host().get(`/v1/runs/${runId}/events/poll?lastSequence=9999&timeout=20`);
  expect((await site.host().get(`/v1/runs/${runId}`)).body.status).toBe('completed');

  await page.goto(`${site.url}/runs/${runId}`);
  await page.getByText(/Event \d+ of \d+/).waitFor();
  await page.getByRole('slider', { name: 'Moment of the run' }).focus();
  await page.keyboard.press('Home');
  await page.getByText('Event 1 of').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/at=1\b/);
});
