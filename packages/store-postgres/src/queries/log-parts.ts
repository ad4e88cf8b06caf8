/**
 * The parts of the logs of runs, as a recursive query with the name `lineage`: events of `run_no` with `from_seq` <= seq
 * < `to_seq`. Part 0 is what the run `top` wrote itself, part 1 was written by the run that it was forked from, and so
 * on. Only forks have more than one. A part with `to_seq` = `from_seq` has no events, but the fork changes the state
 * there. A part with a lower `to_seq` does not count. `tops` filters the table `runs`; `end` is an index of the log.
 */
export const lineageOf = (tops: string, end = 'head') => `
  lineage (top, part, run_no, base_no, from_seq, to_seq) AS (
    SELECT run_no, 0, run_no, base_no, coalesce(base_seq, 0), least(head, ${end}) FROM runs
    WHERE purged_at IS NULL AND ${tops}
    UNION ALL
    SELECT lineage.top, lineage.part + 1, base.run_no, base.base_no, coalesce(base.base_seq, 0),
      least(lineage.to_seq, lineage.from_seq)
    FROM lineage JOIN runs AS base ON base.run_no = lineage.base_no
  )`;

/** A run by its id ($1), of any tenant if $2 is null. */
export const THE_RUN = '(run_id = $1 AND ($2::text IS NULL OR tenant = $2))';
