/**
 * Selects `xid`: every transaction with a lower number in `commits` has ended, so no row with a lower number will appear
 * any more. Whoever reads commits in their order must not look beyond it.
 *
 * Transactions of other databases of the server do not count: one of them may be under way for hours. They are known by
 * their sessions, which are read after the snapshot was taken. A transaction that has ended in between counts, which is
 * safe: the horizon is only lower than it could be.
 */
export const HORIZON = `
  SELECT host.xid_offset
    + coalesce(min(running.xid::text::bigint), pg_snapshot_xmax(pg_current_snapshot())::text::bigint) AS xid
  FROM host LEFT JOIN pg_snapshot_xip(pg_current_snapshot()) AS running (xid) ON NOT EXISTS (
    SELECT FROM pg_stat_activity AS elsewhere
    WHERE elsewhere.backend_xid = running.xid::xid AND elsewhere.datname <> current_database())
  GROUP BY host.xid_offset`;
