import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { startConsole, type TestConsole } from './kit.ts';

/** A run with more than 20,000 events: four workers with 1,000 nodes each. */
const assign = { one: "'1'", two: "'2'", three: "'3'" };
const variables = Object.keys(assign).map((name) => ({ name, type: 'string' }));
const nodes = Array.from({ length: 1000 }, (_, index) => ({
  id: `n${index}`,
  typeId: 'vendor.baton.set',
  config: { assign },
}));
const edges = nodes.slice(1).map(({ id }, index) => ({ sourceNodeId: `n${index}`, targetNodeId: id }));
const LONG = [
  { id: 'load-part', nodes, edges, variables },
  {
    id: 'load',
    nodes: [
      {
        id: 'lead',
        typeId: 'core.orchestrator.supervisor',
        config: {
          script: [
            { kind: 'next-worker', nextWorkerIds: Array(4).fill('load-part'), confidence: 0.9 },
            { kind: 'terminate' },
          ],
        },
      },
      { id: 'out', typeId: 'core.dispatch' },
    ],
    edges: [
      { sourceNodeId: 'lead', targetNodeId: 'out' },
      { sourceNodeId: 'out', targetNodeId: 'lead' },
    ],
  },
];
const site: TestConsole = await startConsole(LONG);
const page: Page = await site.signedIn({ viewport: { width: 1440, height: 900 } });
const { body } = await site.host().run('load');
await page.goto(`${site.url}/runs/${body.runId}`);
await page.getByText(/^Event 2\d,\d{3} of/).waitFor({ timeout: 150_000 });
await page.getByText('Completed').first().waitFor();
afterAll(() => site.stop());

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** The processor time of the longest task of the page meanwhile. Unlike its duration, it does not depend on other programs. */
async function longestTask(work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await work();
  const trace = JSON.parse((await browser.stopTracing()).toString()).traceEvents as TraceEvent[];
  const mains = new Set(
    trace
      .filter((event) => event.name === 'thread_name' && event.args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = trace.filter(
    ({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && mains.has(`${pid} ${tid}`),
  );
  expect(tasks.length).toBeGreaterThan(20);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
}

it('has no task over 100 ms while the slider is dragged', async () => {
  const box = (await page.getByRole('slider', { name: 'Moment of the run' }).boundingBox())!;
  const longest = await longestTask(async () => {
    await page.mouse.move(box.x + box.width - 8, box.y + box.height / 2);
    await page.mouse.down();
    for (let step = 0; step <= 40; step += 1) {
      await page.mouse.move(box.x + 8 + (box.width - 16) * (1 - step / 40), box.y + box.height / 2);
    }
    await page.mouse.up();
  });
  expect(longest).toBeLessThan(100);
  await page.getByText(/^Event \d+ of 2\d,\d{3}/).waitFor();
});

it('has no task over 100 ms while the log is scrolled', async () => {
  const log = page.getByRole('listbox', { name: 'Events', exact: true });
  await log.scrollIntoViewIfNeeded();
  const box = (await log.boundingBox())!;
  const longest = await longestTask(async () => {
    await page.mouse.move(box.x + 100, box.y + 60);
    for (let step = 0; step < 30; step += 1) await page.mouse.wheel(0, 1500);
  });
  expect(longest).toBeLessThan(100);
});
