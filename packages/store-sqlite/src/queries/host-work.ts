import type { HostWork, HostWorkReads } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

/** The data folder has one host, which keeps all trees and performs all effects. */
export function hostWorkReads(database: Database): HostWorkReads {
  const work = database.prepare<Omit<HostWork, 'owner'>>(WORK);
  return {
    workOfHosts: async () => {
      const { effects, trees } = work.get() ?? { effects: 0, trees: 0 };
      return effects + trees === 0 ? [] : [{ owner: '', effects, trees }];
    },
  };
}

/** Only unfinished trees have effects. */
const WORK = `
  SELECT (SELECT count(*) FROM runs INDEXED BY runs_unfinished WHERE unfinished = 1) AS trees,
    (SELECT count(*) FROM runs INDEXED BY runs_unfinished
      CROSS JOIN runs AS run INDEXED BY runs_live
        ON run.root_no = runs.run_no AND run.status NOT IN ('completed', 'failed', 'cancelled')
      CROSS JOIN effects ON effects.run_no = run.run_no
      WHERE runs.unfinished = 1) AS effects`;
