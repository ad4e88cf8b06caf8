import { readdirSync, readFileSync } from 'node:fs';
import { foldTexts, type RunRecord, type Slice, type Store } from '@baton/engine';
import type { WorkflowDefinition } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { completingPlaces } from '../../packages/conformance/src/store-contract/under-test.ts';
import { CALLER, settled, startTestEngine } from '../driver/test-engine.ts';

/**
 * Logs as released versions wrote them (`scripts/record-logs.mjs`). Every later version folds them to a state with
 * the same end, and replays them without coming out anywhere else.
 */

interface Recording {
  readonly version: string;
  readonly definitions: Readonly<Record<string, WorkflowDefinition>>;
  /** Everything that was stored, in order. */
  readonly slices: readonly Slice[];
}

const FOLDER = new URL('.', import.meta.url).pathname;

const RECORDINGS: readonly Recording[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(`${FOLDER}${file}`, 'utf8')) as Recording);

interface RecordedRun {
  readonly record: RunRecord;
  readonly status: string;
  readonly texts: readonly string[];
}

function runsOf({ slices }: Recording): readonly RecordedRun[] {
  const runs = new Map<string, { record: RunRecord; status: string; texts: string[] }>();
  for (const { runId, created, events, status } of slices.flatMap((slice) => slice.runs)) {
    if (created) runs.set(runId, { record: created, status, texts: [] });
    const run = runs.get(runId);
    if (run === undefined) throw new Error(`${runId} was never created`);
    run.texts.push(...events);
    run.status = status;
  }
  return [...runs.values()];
}

async function opened(recording: Recording) {
  let inner: Store | undefined;
  const top = await startTestEngine({
    wrap: (store) => {
      inner = store;
      return store;
    },
  });
  const store = completingPlaces(inner as Store);
  for (const [digest, definition] of Object.entries(recording.definitions)) {
    const text = JSON.stringify(definition);
    await store.putWorkflow({
      tenant: CALLER.tenant,
      id: definition.id,
      digest,
      definition: text,
      createdAt: 0,
    });
  }
  for (const slice of recording.slices) expect(await store.commit([slice])).toEqual(['committed']);
  return top;
}

it('keeps the logs of every released version', () => {
  expect(RECORDINGS.map(({ version }) => version)).toEqual(['0.1.0', '0.2.0', '0.3.0']);
});

for (const recording of RECORDINGS) {
  const runs = runsOf(recording);
  describe(`logs recorded by ${recording.version}`, () => {
    it.each(runs.map((run) => [run.record.workflowId, run] as const))(
      'fold to the end that they had: %s',
      (_workflowId, { status, texts }) => {
        const run = foldTexts(undefined, texts);
        expect(run.head).toBe(texts.length);
        expect(run.phase).toMatchObject({ kind: 'ended', status });
      },
    );

    it('REPLAY-08 replay to the same events, children included, and perform nothing', async () => {
      const top = await opened(recording);
      for (const { record, status } of runs.filter(
        ({ record: { parentRunId } }) => parentRunId === undefined,
      )) {
        const body = { mode: 'replay' } as const;
        const reply = await top.execute({ kind: 'fork-run', caller: CALLER, runId: record.runId, body });
        if (!reply.ok || reply.value.kind !== 'fork') throw new Error(JSON.stringify(reply));
        await settled();
        const { runId } = reply.value;
        expect(await top.status(runId)).toBe(status);
        for (const original of runs.filter(({ record: { rootId } }) => rootId === record.rootId)) {
          const fork = runId + original.record.runId.slice(record.runId.length);
          const again = (await top.events(fork)).map((event) =>
            JSON.stringify(event).replaceAll(runId, record.runId),
          );
          expect(again).toEqual(original.texts);
        }
      }
      expect(top.performed).toEqual([]);
    });
  });
}
