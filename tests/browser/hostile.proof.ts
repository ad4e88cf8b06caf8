import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { HARD_CASES } from '../console/hard-cases.ts';
import { startConsole, type TestConsole } from './kit.ts';

const SCRIPT = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">';
const MARKDOWN = `# ${SCRIPT}\n\n[a](javascript:window.hacked=3) [b](data:text/html,x) ![c](http://elsewhere.example/x.png)`;
const BIDI = 'safe \u202e gnp.exe \u2066x';
const DEEP = `${'['.repeat(60)}1${']'.repeat(60)}`;

const ATTACK = {
  id: 'attack',
  name: SCRIPT,
  variables: [
    { name: 'page', type: 'string' },
    { name: 'wide', type: 'string' },
    { name: 'deep', type: 'array' },
  ],
  nodes: [
    {
      id: 'gate',
      typeId: 'core.approvalGate',
      config: { title: `${SCRIPT} ${BIDI}`, description: MARKDOWN, actions: ['accept', 'reject'] },
    },
  ],
  edges: [],
};

/** Names as long as a host takes them. */
const LONG = {
  id: `w${'-a-very-long-name'.repeat(6)}`,
  nodes: [
    {
      id: `n${'ode'.repeat(30)}`,
      typeId: 'core.approvalGate',
      config: { title: 'Really? '.repeat(60), description: 'd'.repeat(300), actions: ['accept', 'reject'] },
    },
  ],
  edges: [],
};

/** A child whose outputs are attested, and its parent. */
const CASES = [{ name: 'cases', type: 'array' }];
const HARD = [
  { id: 'hard-child', variables: CASES, nodes: [{ id: 'keep', typeId: 'core.noop' }], edges: [] },
  {
    id: 'hard-parent',
    variables: CASES,
    nodes: [
      {
        id: 'call',
        typeId: 'core.subWorkflow',
        config: {
          workflowId: 'hard-child',
          inputMapping: { cases: 'cases' },
          outputMapping: { cases: 'cases' },
          outputAttestation: { checksum: true },
        },
      },
    ],
    edges: [],
  },
];
const site: TestConsole = await startConsole([ATTACK, LONG, ...HARD]);
const page: Page = await site.signedIn();
const inputs = { page: MARKDOWN, wide: 'x'.repeat(200_000), deep: JSON.parse(DEEP) };
const { body } = await site.host().run('attack', { inputs, tags: [SCRIPT.slice(0, 60)] });
const runId: string = body.runId;
afterAll(() => site.stop());

it.each(['/runs', '/inbox', '/runs/RUN', '/runs/RUN?view=state', '/workflows/attack'])(
  'shows hostile values on %s as text',
  async (path) => {
    await page.goto(site.url + path.replace('RUN', runId));
    await page.getByText('attack').filter({ visible: true }).first().waitFor();
    await page.getByRole('heading').first().waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('img[src="x"], a[href^="javascript:"], a[href^="data:"]').count()).toBe(0);
    expect(site.faults).toEqual([]);
  },
);

it('shows the title of a hostile question word for word', async () => {
  await page.goto(`${site.url}/inbox`);
  await page.getByRole('heading', { name: /<script>window\.hacked = 1<\/script>/ }).waitFor();
  expect(await page.evaluate('window.hacked')).toBeUndefined();
});

it('computes the checksum of the host in the browser, of values on which programs differ', async () => {
  // A host refuses values that are nested so deeply, and halves of characters.
  const accepted = HARD_CASES.filter(
    ({ name, canonical }) => name !== 'a deep value' && !canonical.includes('\ufffd'),
  );
  const cases = accepted.map(({ json }) => JSON.parse(json.toWellFormed()));
  const { body } = await site.host().run('hard-parent', { inputs: { cases } });
  expect(body).toMatchObject({ status: 'completed' });
  await page.goto(`${site.url}/runs/${body.runId}?view=merges`);
  await page.getByRole('button', { name: 'Verify now' }).click();
  await page.getByText('Everything that was compared is equal.').waitFor();
  expect(cases.length).toBeGreaterThan(15);
});

it.each([
  ['/runs/RUN?view=zzz&at=-5', 'Overview'],
  ['/workflows/attack?view=%5B%5D&node=1', 'Graph'],
  ['/host?view=7', 'Now'],
])('shows the first view for the nonsense in %s', async (path, view) => {
  await page.goto(site.url + path.replace('RUN', runId));
  await page.getByRole('tab', { name: view, exact: true, selected: true }).waitFor();
  expect(await page.getByRole('tabpanel').filter({ visible: true }).count()).toBeGreaterThan(0);
});

it('lists the workflows for a search that is no text', async () => {
  await page.goto(`${site.url}/workflows?q=%5B%5D&new=3`);
  await page.getByRole('link', { name: 'hello' }).first().waitFor();
  expect(site.faults).toEqual([]);
});

it('keeps long names inside a phone, and long questions short in the list', async () => {
  const { body } = await site.host().run(LONG.id);
  const phone = await site.signedIn({
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  });
  for (const path of [`/runs/${body.runId}`, `/runs/${body.runId}?view=state`, '/inbox', '/runs']) {
    await phone.goto(site.url + path);
    await phone
      .getByText(/Really\?|w-a-very-long/)
      .filter({ visible: true })
      .first()
      .waitFor();
    const widths = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect([path, await phone.evaluate(widths)]).toEqual([path, 0]);
  }
  await phone.goto(`${site.url}/inbox`);
  const entry = phone.getByRole('link', { name: /Really\?/ });
  expect((await entry.boundingBox())?.height).toBeLessThan(140);
  await entry.click();
  await phone.getByRole('button', { name: 'Accept', exact: true }).waitFor();
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await phone.context().close();
});
