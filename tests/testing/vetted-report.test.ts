import {
  accept,
  asks,
  edit,
  emitted,
  ended,
  given,
  hasVariables,
  merged,
  notMerged,
  pass,
  reject,
  untilAtRest,
} from '@baton/client/testing';
import { describe, expect, it } from 'vitest';
import { critic, vettedReport, writer } from '../builder/examples.ts';
import { example } from '../builder/read-example.ts';

const desk = given(vettedReport, writer, critic);

const VETTED = 'All about owls. Sources: the almanac.';

describe('a gated workflow in the test kit', () => {
  it('merges what the critic passed and a person accepted', () =>
    desk
      .when({ topic: 'owls' }, untilAtRest(), accept('commission'))
      .then(ended('completed'))
      .then(hasVariables({ report: VETTED }))
      .then(
        merged('report', {
          value: VETTED,
          why: 'approved',
          stages: ['attest', 'verify', 'approve', 'merge'],
          verdict: 'pass',
          criteria: ['names-its-sources'],
          approvedBy: ['reviewer'],
        }),
      )
      .then(async (run) => {
        expect(run.merges.map(({ why }) => why)).toEqual(['revised', 'approved']);
        expect(await run.audit()).toMatchObject({ allMatch: true });
        expect(run.merges[1]?.checksum).toMatch(/^[0-9a-f]{64}$/);
        expect(run.now.toISOString()).toBe('2026-01-01T00:00:02.000Z');
      }));

  it('lets time pass, and stops where a person has to answer', () =>
    desk
      .when({ topic: 'owls' }, pass('999ms'))
      .then((run) => {
        expect(run.questions).toEqual([]);
        return run.pass('2s').then(() => run);
      })
      .then(asks('commission')));

  it('merges the edit of a person', () =>
    desk
      .when(untilAtRest(), edit('commission', { text: 'Checked by hand.' }, { by: 'ana' }))
      .then(ended('completed'))
      .then(merged('report', { value: 'Checked by hand.', why: 'edited', approvedBy: ['ana'] }))
      .then(emitted({ type: 'agent.verified', payload: { verdict: 'revise' } }, 'variable.changed'))
      .then((run) => expect(run.merges[1]?.editedChecksum).not.toBe(run.merges[1]?.checksum)));

  it('merges nothing that a person rejects', () =>
    desk
      .when({}, untilAtRest(), reject('commission'))
      .then(notMerged('report', 'rejected'))
      .then((run) => expect(run.variables.report).toBeUndefined()));

  it('runs the JSON of the example in the same way', async () => {
    const files = ['vetted-report', 'vetted-report-writer', 'vetted-report-critic'] as const;
    const [report, ...workers] = files.map((name) => example(`${name}.json`));
    const types = async (tested: ReturnType<typeof given>) => {
      const run = await tested.when({ topic: 'owls' }, untilAtRest(), accept('commission'));
      return [run, ...run.descendants].map(({ events }) => events.map(({ type }) => type));
    };
    const built = await types(desk as unknown as ReturnType<typeof given>);
    expect(built.flat().length).toBeGreaterThan(60);
    expect(await types(given(report as NonNullable<typeof report>, ...workers))).toEqual(built);
  });
});
