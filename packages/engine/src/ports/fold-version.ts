/** Raised whenever the fold changes meaning: older checkpoints are then ignored and made again. */
export const FOLD_VERSION = 6;
