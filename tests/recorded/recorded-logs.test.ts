import { readdirSync, readFileSync } from 'node:fs';
import { foldTexts, type RunRecord, type Store } from '@baton/engine';
import type { RunEvent, RunStatus, WorkflowDefinition } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { bench, CALLER, settled } from '../driver/bench-top.ts';

/**
 * Logs as released versions wrote them. Every later version folds them to a state with the same end, and
 * replays them without coming out anywhere else.
 */

interface RecordedRun {
  readonly record: RunRecord;
  readonly status: RunStatus;
  readonly updatedAt: number;
  readonly goalMet?: boolean;
  readonly events: readonly RunEvent[];
}

interface Recording {
  readonly version: string;
  readonly definitions: Readonly<Record<string, WorkflowDefinition>>;
  readonly runs: readonly RecordedRun[];
}

const FOLDER = new URL('.', import.meta.url).pathname;

const RECORDINGS: readonly Recording[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(`${FOLDER}${file}`, 'utf8')) as Recording);

/** Stores the logs as they are, parents before their children. */
async function store(target: Store, recording: Recording): Promise<void> {
  for (const [digest, definition] of Object.entries(recording.definitions)) {
    await target.putWorkflow({
      tenant: CALLER.tenant,
      id: definition.id,
      digest,
      definition: JSON.stringify(definition),
      createdAt: 0,
    });
  }
  for (const { record, status, updatedAt, goalMet, events } of recording.runs) {
    const results = await target.commit([
      {
        rootId: record.rootId,
        runs: [
          {
            runId: record.runId,
            expectedHead: 0,
            created: record,
            events: events.map((event) => JSON.stringify(event)),
            status,
            ...(goalMet !== undefined && { goalMet }),
            at: updatedAt,
            interruptsOpened: [],
            interruptsClosed: [],
          },
        ],
      },
    ]);
    expect(results).toEqual(['committed']);
  }
}

async function opened(recording: Recording) {
  let inner: Store | undefined;
  const top = await bench({
    wrap: (opened) => {
      inner = opened;
      return opened;
    },
  });
  await store(inner as Store, recording);
  return top;
}

it('keeps the logs of at least one released version', () => {
  expect(RECORDINGS.map(({ version }) => version)).toContain('0.1.0');
});

for (const recording of RECORDINGS) {
  describe(`logs recorded by ${recording.version}`, () => {
    for (const { record, status, events } of recording.runs) {
      it(`fold to the end that they had (${record.workflowId}, ${record.runId})`, () => {
        const run = foldTexts(
          undefined,
          events.map((event) => JSON.stringify(event)),
        );
        expect(run.head).toBe(events.length);
        expect(run.phase).toMatchObject({ kind: 'ended', status });
      });
    }

    it('REPLAY-08 replay to the same events, children included, and perform nothing', async () => {
      const top = await opened(recording);
      const roots = recording.runs.filter(({ record }) => record.parentRunId === undefined);
      for (const { record, status, events } of roots) {
        const reply = await top.execute({
          kind: 'fork-run',
          caller: CALLER,
          runId: record.runId,
          body: { mode: 'replay' },
        });
        if (!reply.ok || reply.value.kind !== 'fork') throw new Error(JSON.stringify(reply));
        await settled();
        const { runId } = reply.value;
        const inTree = recording.runs.filter(({ record: { rootId } }) => rootId === record.rootId);
        for (const original of inTree) {
          const fork = runId + original.record.runId.slice(record.runId.length);
          const again = top
            .events(fork)
            .map((event) => JSON.stringify(event).replaceAll(runId, record.runId));
          expect(again).toEqual(original.events.map((event) => JSON.stringify(event)));
        }
        expect(top.status(runId)).toBe(status);
        expect(top.events(runId)).toHaveLength(events.length);
      }
      expect(top.performed).toEqual([]);
    });
  });
}
