import { auditRun } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import { node } from '../../packages/engine/src/testkit/workflows.ts';
import { bundleOf, importInto } from './bundling.ts';
import { answer, child, expectSameFrom, line, replay, start } from './forking.ts';
import { type Bench, CALLER, startTestEngine } from './test-engine.ts';

/** Checksums of values that hold names of runs, which are others in a replay and after an import. */

const GATED = { settings: { outputAttestation: { checksum: true, requireApproval: true } } };
const named = [
  line('top', [child('call', 'worker', { outputMapping: { got: 'made' } }, GATED)]),
  line('worker', [
    child('sub', 'leaf'),
    {
      ...node('set', 'vendor.baton.set', { assign: { made: 'inputs.id' } }),
      inputs: { id: { type: 'connection', nodeId: 'sub', outputKey: 'childRunId' } },
    },
  ]),
  line('leaf', [node('a', 'core.noop')]),
];

const ANSWERS = [
  ['accepted', () => ({ action: 'accept' })],
  ['edited', (id: string) => ({ action: 'edit-accept', editedArtifactData: { made: `see ${id}` } })],
] as const;

async function ended(
  answered: (runId: string) => Record<string, unknown>,
): Promise<readonly [Bench, string]> {
  const top = await startTestEngine();
  await top.register(...named);
  const source = await start(top, 'top');
  await answer(top, source, 'call', answered(source) as never);
  expect(await top.status(source)).toBe('completed');
  expect(await top.reads.run(CALLER.tenant, `${source}.1.1`)).toBeDefined();
  return [top, source];
}

const audited = async (top: Bench, runId: string) =>
  (await auditRun(top.reads, { tenant: CALLER.tenant, runId }))?.attestations;

describe('a value that holds the name of a run', () => {
  it.each(ANSWERS)('is attested in a replay as in its source: %s', async (_how, answered) => {
    const [top, source] = await ended(answered);
    await expectSameFrom(top, source);
    const twin = await replay(top, source);
    await expectSameFrom(top, twin, [0], [source]);
    expect(await audited(top, twin)).toMatchObject([{ merged: true, matches: true }]);
  });

  it.each(ANSWERS)(
    'is attested in a replay of an import as where it comes from: %s',
    async (_how, answered) => {
      const [top, source] = await ended(answered);
      const other = await startTestEngine();
      const imported = await importInto(other, await bundleOf(top, source));
      expect(await audited(other, imported)).toMatchObject([{ merged: true, matches: true }]);
      await expectSameFrom(other, imported);
      expect(await audited(other, await replay(other, imported))).toMatchObject([{ matches: true }]);
    },
  );

  it('does not hide that another value was merged', async () => {
    const [top, source] = await ended(ANSWERS[0][1]);
    const twin = await replay(top, source);
    const reads = {
      ...top.reads,
      events: async (...asked: Parameters<Bench['reads']['events']>) =>
        (await top.reads.events(...asked)).map((text) => text.replace('.1.1"', '.1.2"')),
    };
    expect(await auditRun(reads, { tenant: CALLER.tenant, runId: twin })).toMatchObject({ allMatch: false });
  });
});
