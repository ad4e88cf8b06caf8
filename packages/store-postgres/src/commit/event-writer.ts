import type { EventColumns } from '@baton/engine/ports';
import { columnsOf } from '../database/columns.ts';
import { type Statement, statement } from './statement.ts';

/** Appends the events of a batch by one statement. */
export function writeEvents(events: readonly EventColumns[]): readonly Statement[] {
  if (events.length === 0) return [];
  const { bigint, integer, text, boolean } = columnsOf(events);
  return [
    statement(
      INSERT,
      bigint('run', ({ runNo }) => runNo),
      bigint('sequence', ({ sequence }) => sequence),
      bigint('place', ({ place }) => place),
      integer('rest of a step', ({ stepRest }) => stepRest),
      boolean(({ starts }) => (starts === null ? null : starts === 1)),
      text('event', ({ data }) => data),
    ),
  ];
}

const INSERT = `
  INSERT INTO events (run_no, seq, place, step_rest, starts, data)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[], $5::boolean[], $6::text[])`;
