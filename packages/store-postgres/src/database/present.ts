/** The columns of a row: a value that is absent in the object is null in the row. */
export type Columns<T> = {
  readonly [Key in keyof T]-?: undefined extends T[Key] ? Exclude<T[Key], undefined> | null : T[Key];
};

/** The object of a row: its columns without those that are null. */
export function present<T extends object>(row: Columns<T>): T {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as T;
}
