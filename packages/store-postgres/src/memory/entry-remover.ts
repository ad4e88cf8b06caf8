/**
 * Deletes rows of memory with their tags. Their words are in the same rows. `entryNos` is a query for the numbers of
 * the rows, which the statement can use as the table `removed`. Rows are looked up one by one, because Postgres does not
 * know how few they are.
 */
export function removingEntries(entryNos: string, result: string): string {
  return `
  WITH removed AS MATERIALIZED (${entryNos}),
  removed_tags AS (DELETE FROM entry_tags WHERE entry_no = ANY(ARRAY(SELECT entry_no FROM removed))),
  removed_rows AS (DELETE FROM entries WHERE entry_no = ANY(ARRAY(SELECT entry_no FROM removed)))
  ${result}`;
}
