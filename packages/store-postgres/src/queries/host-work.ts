import type { HostWork, HostWorkReads } from '@baton/engine/ports';
import type { Queries } from '../database/database.ts';

export function hostWorkReads(queries: Queries): HostWorkReads {
  return { workOfHosts: () => queries.rows<HostWork>(WORK) };
}

const WORK = `
  SELECT owner, sum(effects)::bigint AS effects, sum(trees)::bigint AS trees FROM (
    SELECT owner, count(*) AS effects, 0 AS trees FROM effects WHERE owner IS NOT NULL GROUP BY owner
    UNION ALL
    SELECT keeper::text, 0, count(*) FROM runs WHERE unfinished AND keeper IS NOT NULL GROUP BY keeper
  ) AS work
  GROUP BY owner ORDER BY owner`;
