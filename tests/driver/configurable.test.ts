import { expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { bundleOf, checked } from '../bundles.ts';
import { after, answer, gate, line, start } from './forking.ts';
import { type Bench, CALLER, startTestEngine } from './test-engine.ts';

/** The options of a run fit its workflow's `configurableSchema`, whichever way it came to have them. */

const configurableSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { flavour: { type: 'string' }, recursionLimit: { type: 'integer' } },
};
const PICKY = line('picky', [gate('ask'), node('end', 'core.noop')], { configurableSchema });
const DOOMED = workflow('doomed', [node('break', 'core.fail')], { configurableSchema });
const BAD = { flavour: 7 };
const REFUSED = { ok: false, error: { error: 'validation_error', details: { field: 'flavour' } } };

async function host(): Promise<Bench> {
  const top = await startTestEngine();
  await top.register(PICKY, DOOMED);
  return top;
}

const create = (top: Bench, configurable: object) =>
  top.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'picky', configurable } as never });

it('when it is created', async () => {
  const top = await host();
  expect(await create(top, BAD)).toMatchObject(REFUSED);
  expect(await create(top, { colour: 'red' })).toMatchObject({ ok: false });
  expect(await create(top, { flavour: 'sweet' })).toMatchObject({ ok: true });
});

it.each(['at its beginning', 'in the middle'])('when it is branched %s', async (where) => {
  const top = await host();
  const runId = await start(top, 'picky', { configurable: { flavour: 'sweet' } });
  await answer(top, runId, 'ask');
  const fromSeq = where === 'in the middle' ? await after(top, runId, 'run.started') : 0;
  const fork = (configurable: object) =>
    top.execute({
      kind: 'fork-run',
      caller: CALLER,
      runId,
      body: { mode: 'branch', fromSeq, runOptionsOverlay: { configurable } } as never,
    });
  expect(await fork(BAD)).toMatchObject(REFUSED);
  expect(await fork({ recursionLimit: 5 })).toMatchObject({ ok: true });
});

it('when it is tried again', async () => {
  const top = await host();
  const runId = await start(top, 'doomed');
  const retry = (configurable: object) =>
    top.execute({
      kind: 'retry-run',
      caller: CALLER,
      runId,
      body: { runOptionsOverlay: { configurable } } as never,
    });
  expect(await retry(BAD)).toMatchObject(REFUSED);
  expect(await retry({ flavour: 'sour' })).toMatchObject({ ok: true });
});

it.each([
  [{ flavour: 7 }, false],
  [{ flavour: 'bitter' }, true],
  // What was taken out of an option cannot be held against it.
  [{ flavour: ['[REDACTED]'] }, true],
])('when its bundle is opened: %j', async (configurable, ok) => {
  const top = await host();
  const runId = await start(top, 'doomed', { configurable: { flavour: 'sweet' } });
  // biome-ignore lint/suspicious/noExplicitAny: bundles are taken apart here
  const bundle: any = structuredClone(await bundleOf(top, runId));
  for (const run of bundle.baton.runs) delete run.chain;
  bundle.events[0].payload.configurable = configurable;
  const said = checked(bundle);
  if (ok) expect(said).toMatchObject({ runId });
  else expect(said).toContain('with options that its workflow does not allow');
});
