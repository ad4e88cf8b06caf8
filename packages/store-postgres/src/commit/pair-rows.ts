import { type Statement, writing } from './statement.ts';
import { OutdatedSliceError } from './unfit-slice.ts';

/**
 * Rows that belong to a run and have a name. The slices of a batch add and remove them one after the other; they are
 * written at once.
 */
interface PairRows<Row> {
  /** Throws if an earlier slice has removed the row: no statement sees what the others of its batch remove. */
  put(runNo: number, name: string, row: Row): void;
  remove(runNo: number, name: string): void;
  removeAll(runNo: number): void;
  left(): readonly (Row & { readonly runNo: number })[];
  /** `column` holds the names. */
  writeRemovals(table: string, column: string): readonly Statement[];
}

interface RowsOfRun<Row> {
  readonly left: Map<string, Row>;
  readonly removed: Set<string>;
  allRemoved: boolean;
}

export function pairRows<Row>(): PairRows<Row> {
  const runs = new Map<number, RowsOfRun<Row>>();

  function rowsOf(runNo: number): RowsOfRun<Row> {
    const known = runs.get(runNo);
    if (known !== undefined) return known;
    const rows: RowsOfRun<Row> = { left: new Map(), removed: new Set(), allRemoved: false };
    runs.set(runNo, rows);
    return rows;
  }

  return {
    put(runNo, name, row) {
      const { left, removed, allRemoved } = rowsOf(runNo);
      if (allRemoved || removed.has(name)) throw new OutdatedSliceError();
      left.set(name, row);
    },
    remove(runNo, name) {
      const { left, removed } = rowsOf(runNo);
      left.delete(name);
      removed.add(name);
    },
    removeAll(runNo) {
      const rows = rowsOf(runNo);
      rows.left.clear();
      rows.allRemoved = true;
    },
    left: () =>
      [...runs].flatMap(([runNo, { left }]) => [...left.values()].map((row) => ({ ...row, runNo }))),
    writeRemovals(table, column) {
      const all = [...runs].filter(([, { allRemoved }]) => allRemoved);
      const single = [...runs].flatMap(([runNo, { removed, allRemoved }]) =>
        allRemoved ? [] : [...removed].map((name) => ({ runNo, name })),
      );
      return [
        ...writing(`DELETE FROM ${table} WHERE run_no = ANY($1::bigint[])`, all, ({ bigint }) => [
          bigint('run', ([runNo]) => runNo),
        ]),
        ...writing(removal(table, column), single, ({ bigint, text }) => [
          bigint('run', ({ runNo }) => runNo),
          text(column, ({ name }) => name),
        ]),
      ];
    },
  };
}

const removal = (table: string, column: string) => `
  DELETE FROM ${table} USING unnest($1::bigint[], $2::text[]) AS given (run_no, name)
  WHERE ${table}.run_no = given.run_no AND ${table}.${column} = given.name`;
