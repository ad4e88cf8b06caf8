import type { LateOutcome } from '@baton/engine/ports';
import { columnsOf } from '../../database/columns.ts';
import { type Statement, statement } from '../statement.ts';

export function writeLateOutcomes(outcomes: readonly LateOutcome[]): readonly Statement[] {
  if (outcomes.length === 0) return [];
  const { bigint, text } = columnsOf(outcomes);
  return [
    statement(
      KEEP,
      text('key of an effect', ({ key }) => key),
      text('run', ({ runId }) => runId),
      text('outcome', ({ outcome }) => JSON.stringify(outcome)),
      bigint('time of an outcome', ({ at }) => at),
    ),
  ];
}

/** A repeated call may report an outcome twice. The first outcome is kept. */
const KEEP = `
  INSERT INTO late_outcomes (key, run_id, outcome, at)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS given (key, run_id, outcome, at)
  ORDER BY key COLLATE "C"
  ON CONFLICT (key) DO NOTHING`;
