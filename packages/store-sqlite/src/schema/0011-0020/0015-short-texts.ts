/**
 * From this version on, new rows of `events` hold short texts (`queries/short-text.ts`), which earlier versions of
 * Baton cannot read. Older rows stay as they are.
 */
export const shortTexts = '-- The schema does not change.';
