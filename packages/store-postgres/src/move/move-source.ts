/** The columns of a row by their names. Truth values are 0 and 1. */
export type SourceRow = Readonly<Record<string, string | number | null>>;

/** Everything that another store holds. Its tables have the names that they have here. */
export interface MoveSource {
  readonly hostId: string;
  readonly keys: readonly { readonly name: string; readonly text: string }[];
  readonly endedSessions: readonly { readonly id: string; readonly until: number }[];
  /** The names of the columns of each table. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  count(table: string): number;
  rows(table: string): Iterable<SourceRow>;
  /** Events up to this position are signed. */
  readonly signedUpTo: number;
  /** The events that are not signed, or that a webhook has not looked at, in the order of their positions. */
  lateEvents(): Iterable<LateEvent>;
}

/** An event with its position in the order of all events of the other store. */
export interface LateEvent {
  readonly position: number;
  readonly runNo: number;
  readonly sequence: number;
}
