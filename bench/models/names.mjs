/** The models of the local server. */

export const PROVIDER = 'local';
/** Answers at once. */
export const INSTANT = 'instant';
/** Sends a token every 50 ms until it is told to finish. */
export const ENDLESS = 'endless';
