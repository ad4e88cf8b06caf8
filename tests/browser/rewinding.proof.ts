import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { startConsole, type TestConsole, waitingReport } from './kit.ts';

const site: TestConsole = await startConsole();
const page: Page = await site.signedIn();
const runId: string = await waitingReport(site.host());
afterAll(async () => {
  await site.stop();
  expect(site.faults).toEqual([]);
});

const slider = () => page.getByRole('slider', { name: 'Moment of the run' });
const lastOf = async (id: string): Promise<number> =>
  (await site.host().get(`/v1/runs/${id}`)).body.lastSequence;

it('moves to a moment, shows it in the address, and shows it again from the address', async () => {
  await page.goto(`${site.url}/runs/${runId}`);
  await page.getByText(/Event \d+ of \d+/).waitFor();
  await slider().focus();
  await page.keyboard.press('Home');
  await page.getByText('Event 1 of').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByText('Event 2 of').waitFor();
  // The address follows the slider a moment later. Event 2 is the one with the sequence 1.
  await page.waitForURL(/at=1\b/);
  await page.reload();
  await page.getByText('Event 2 of').waitFor();
  await page.getByRole('button', { name: 'Last event' }).click();
  await page.getByText(/Event (\d+) of \1\b/).waitFor();
  expect(await page.title()).toContain('vetted-report');
});

it('forks from a moment without touching the original, and compares the two', async () => {
  const before = await lastOf(runId);
  await page.goto(`${site.url}/runs/${runId}`);
  await page.getByRole('button', { name: 'Fork from here' }).click();
  await page.getByRole('radio', { name: 'Replay', exact: true }).click();
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.waitForURL((url) => /\/runs\//.test(url.pathname) && !url.pathname.endsWith(runId));
  const forkId = new URL(page.url()).pathname.split('/').at(-1);
  expect(forkId).not.toBe(runId);
  expect(await lastOf(runId)).toBe(before);
  await page.goto(`${site.url}/compare/${runId}/${forkId}`);
  await page.getByRole('heading', { name: /Compare/ }).waitFor();
  await page
    .getByText(/equal|same/i)
    .first()
    .waitFor();
});

it('draws a run as the version that it has, after the workflow was changed', async () => {
  const gate = { id: 'old-gate', typeId: 'core.approvalGate', config: { title: 'Go?', actions: ['accept'] } };
  const nodes = [gate, { id: 'old-tail', typeId: 'core.noop' }];
  const edges = [{ sourceNodeId: 'old-gate', targetNodeId: 'old-tail' }];
  await site.host().post('/v1/workflows', { id: 'changing', nodes, edges });
  const { body } = await site.host().run('changing');
  await site.host().post('/v1/workflows', { id: 'changing', nodes: [{ id: 'new', typeId: 'core.noop' }] });
  await page.goto(`${site.url}/runs/${body.runId}`);
  await page.getByRole('button', { name: 'List' }).click();
  await page.getByRole('cell', { name: /old-tail/ }).waitFor();
  expect(await page.getByRole('cell', { name: /^new/ }).count()).toBe(0);
});

it('replays with the models of today', async () => {
  await page.goto(`${site.url}/runs/${runId}`);
  await page.getByRole('button', { name: 'Fork from here' }).click();
  await page.getByRole('radio', { name: /models of today/ }).click();
  const order = page.waitForRequest((request) => request.url().endsWith(':fork'));
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  expect((await order).postDataJSON()).toMatchObject({ mode: 'replay', models: 'live' });
  await page.waitForURL((url) => /\/runs\//.test(url.pathname) && !url.pathname.endsWith(runId));
});

it('goes on with the events after the host was restarted', async () => {
  const waiting = await waitingReport(site.host(), 'reconnecting');
  await page.goto(`${site.url}/runs/${waiting}`);
  await page.getByText(/Event \d+ of \d+/).waitFor();
  await site.restart();
  const nodes = (await site.host().get('/v1/interrupts')).body.interrupts;
  const { nodeId, runId: asker } = nodes.find((one: { runId: string }) => one.runId.startsWith(waiting));
  await site.host().post(`/v1/runs/${asker}/interrupts/${nodeId}`, { resumeValue: { action: 'accept' } });
  // The children of the run have ended before, so that the word "Completed" says nothing.
  await page.getByRole('link', { name: 'Answer' }).waitFor({ state: 'detached', timeout: 45_000 });
  await site.host().get(`/v1/runs/${waiting}/events/poll?lastSequence=9999&timeout=20`);
  expect((await site.host().get(`/v1/runs/${waiting}`)).body.status).toBe('completed');
});
