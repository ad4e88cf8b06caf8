/**
 * Increase this when the fold gives another state for the same events. Older saved states are then ignored
 * and made again.
 */
export const FOLD_VERSION = 12;
