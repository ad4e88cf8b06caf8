/**
 * Increase this in a release that writes events which the release before cannot fold. Where hosts of both releases share
 * a store, each tree names the version that it needs, and a host of the older release leaves it to the others. Such a release also adds a migration to the SQLite store, so
 * that the release before refuses its data folder.
 */
export const LOG_VERSION = 1;
