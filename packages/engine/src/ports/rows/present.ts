/** The columns of a row: a value that is absent in the object is null in the row. */
export type Columns<T> = {
  readonly [Key in keyof T]-?: undefined extends T[Key] ? Exclude<T[Key], undefined> | null : T[Key];
};

/** The object of a row: its columns without those that are null. */
export function present<T extends object>(row: Columns<T>): T {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as T;
}

/** The same for a store that keeps some of the columns as JSON. */
export function parsed<T extends object>(row: object, ...json: readonly (keyof T & string)[]): T {
  const columns = { ...row } as Record<string, unknown>;
  for (const name of json) if (columns[name] !== null) columns[name] = JSON.parse(String(columns[name]));
  return present<T>(columns as Columns<T>);
}
