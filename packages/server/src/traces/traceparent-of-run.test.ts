import type { RunRow } from '@baton/engine/ports';
import { parseTraceparent, spanIdOf, traceOfRun } from '@baton/protocol';
import { expect, it } from 'vitest';
import { traceparentOfRun } from './traceparent-of-run.ts';

const GIVEN = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';

function traceOf(row: Partial<RunRow> | undefined, traceparent?: string) {
  const event = { type: 'run.started', payload: { ...(traceparent && { traceparent }) } };
  const reads = { run: async () => row as RunRow | undefined, events: async () => [JSON.stringify(event)] };
  return traceparentOfRun(reads, 'acme', 'r');
}

it('names the span of the run, in the trace of its caller or in its own', async () => {
  const spanId = spanIdOf('run', 'r');
  const own = { ...traceOfRun('r'), spanId };
  expect(parseTraceparent(await traceOf({}, GIVEN))).toEqual({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId,
    sampled: false,
  });
  expect(parseTraceparent(await traceOf({}))).toEqual(own);
  const fork = {} as NonNullable<RunRow['fork']>;
  expect(parseTraceparent(await traceOf({ fork }, GIVEN))).toEqual(own);
  expect(parseTraceparent(await traceOf(undefined, GIVEN))).toEqual(own);
});
