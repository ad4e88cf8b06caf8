import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { startConsole, type TestConsole, waitingReport } from './kit.ts';

const site: TestConsole = await startConsole();
const page: Page = await site.signedIn();
afterAll(async () => {
  await site.stop();
  expect(site.faults).toEqual([]);
});

const runOf = async (runId: string) => (await site.host().get(`/v1/runs/${runId}`)).body;
const ended = (runId: string) =>
  site.host().get(`/v1/runs/${runId}/events/poll?lastSequence=9999&timeout=20`);

async function openQuestion(reader: Page, runId: string): Promise<void> {
  await reader.goto(`${site.url}/runs/${runId}`);
  await reader.getByRole('link', { name: 'Answer' }).click();
  await reader.getByRole('button', { name: 'Accept', exact: true }).waitFor();
}

it('starts an example from the welcome page, and shows it happen', async () => {
  await page.goto(`${site.url}/`);
  await page
    .getByRole('button', { name: /Start the example/ })
    .first()
    .click();
  await page.waitForURL(/\/runs\/[0-9a-f-]+/);
  await page.getByRole('slider', { name: 'Moment of the run' }).waitFor();
  await page.getByText('run.started').first().waitFor();
  expect((await site.host().get('/v1/runs')).body.runs).toHaveLength(1);
});

it('accepts a merge, and then shows the value in the run and why it may be there', async () => {
  const runId = await waitingReport(site.host());
  await openQuestion(page, runId);
  await page.getByText('All about tides').first().waitFor();
  await page.getByRole('button', { name: 'Accept', exact: true }).click();
  await page.getByLabel('Comment').fill('Checked by hand');
  await page.getByRole('dialog').getByRole('button', { name: 'Accept', exact: true }).click();
  await ended(runId);
  expect(await runOf(runId)).toMatchObject({ status: 'completed' });
  await page.goto(`${site.url}/runs/${runId}?view=merges`);
  await page.getByRole('button', { name: 'Verify now' }).last().click();
  await page.getByText('Everything that was compared is equal.').first().waitFor();
});

it('edits what is merged, after one more look at the changes', async () => {
  const runId = await waitingReport(site.host(), 'owls');
  await openQuestion(page, runId);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const editor = page.getByRole('dialog').getByRole('textbox');
  await editor.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Owls, checked. Sources: the almanac.');
  await page.getByRole('button', { name: 'Review the changes' }).click();
  await page.getByRole('button', { name: 'Accept with these changes' }).click();
  await ended(runId);
  const { status, variables } = await runOf(runId);
  expect(status).toBe('completed');
  expect(JSON.stringify(variables)).toContain('Owls, checked.');
});

it('rejects with a reason, and nothing is merged', async () => {
  const runId = await waitingReport(site.host(), 'bats');
  await openQuestion(page, runId);
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByText('Write a few words first.').waitFor();
  await page.getByLabel('Reason').fill('The source is too old');
  await page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByText('Rejected.', { exact: true }).waitFor();
  await ended(runId);
  const { variables } = await runOf(runId);
  expect(JSON.stringify(variables)).not.toContain('All about bats');
});

it('lets one of two people decide, and tells the other', async () => {
  const runId = await waitingReport(site.host(), 'eels');
  const other = await site.signedIn();
  await Promise.all([openQuestion(page, runId), openQuestion(other, runId)]);
  for (const reader of [page, other]) {
    await reader.getByRole('button', { name: 'Accept', exact: true }).click();
    await reader.getByLabel('Comment').waitFor();
  }
  const accept = (reader: Page) =>
    reader.getByRole('dialog').getByRole('button', { name: 'Accept', exact: true }).click();
  await Promise.all([accept(page), accept(other)]);
  const told = (reader: Page) =>
    Promise.race([
      reader
        .getByText('Accepted.', { exact: true })
        .waitFor()
        .then(() => 'accepted'),
      reader
        .getByText(/closed before your answer arrived/)
        .waitFor()
        .then(() => 'told'),
    ]);
  expect((await Promise.all([told(page), told(other)])).sort()).toEqual(['accepted', 'told']);
  const { events } = (await site.host().get(`/v1/runs/${runId}/events`)).body;
  expect(events.filter((event: { type: string }) => event.type === 'interrupt.resolved')).toHaveLength(1);
  await other.context().close();
});
