import type { SavedState } from '@baton/engine/ports';
import { columnsOf } from '../../database/columns.ts';
import { type Statement, statement } from '../statement.ts';

/** The saved states of a batch. A later one takes the place of an earlier one. */
interface SavedStateRows {
  add(runNo: number, saved: SavedState): void;
  write(): readonly Statement[];
}

export function savedStateRows(): SavedStateRows {
  const rows = new Map<string, SavedState & { readonly runNo: number }>();
  return {
    add: (runNo, saved) => void rows.set(`${runNo}:${saved.sequence}`, { ...saved, runNo }),
    write() {
      if (rows.size === 0) return [];
      const { bigint, text } = columnsOf([...rows.values()]);
      return [
        statement(
          SAVE,
          bigint('run', ({ runNo }) => runNo),
          bigint('sequence of a saved state', ({ sequence }) => sequence),
          bigint('version of a saved state', ({ foldVersion }) => foldVersion),
          text('saved state', ({ state }) => state),
          text('chain', ({ chain }) => chain ?? null),
        ),
      ];
    },
  };
}

const SAVE = `
  INSERT INTO checkpoints (run_no, seq, fold_version, state, chain)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[])
  ON CONFLICT (run_no, seq) DO UPDATE
  SET fold_version = excluded.fold_version, state = excluded.state, chain = excluded.chain`;
