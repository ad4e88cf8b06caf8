import type { ChangeFeed } from '@baton/engine/ports';
import type { Identity } from './identity.ts';

/** A key that another process has revoked, such as `baton keys revoke`, stops working within this time. */
const REMEMBERED_MS = 1000;
const MOST = 1000;

/** Identities that were found in the last second. Busy callers do not cost a look-up for each request. */
export function recentIdentities(feed: ChangeFeed, now: () => number) {
  const recent = new Map<string, { readonly identity: Identity; readonly until: number }>();

  /** Counts changes of keys and peers. A key that was looked up before a change may no longer be the stored one. */
  let changes = 0;
  feed.changes(({ kind }) => {
    if (kind !== 'key' && kind !== 'peer' && kind !== 'missed') return;
    changes += 1;
    recent.clear();
  });

  return {
    get(token: string): Identity | undefined {
      const known = recent.get(token);
      return known !== undefined && known.until > now() ? known.identity : undefined;
    },
    /** Finds an identity, and remembers it. */
    async find(token: string, find: () => Promise<Identity | undefined>): Promise<Identity | undefined> {
      // A key may be revoked while it is looked up, so its second begins before the look-up.
      const until = now() + REMEMBERED_MS;
      const before = changes;
      const identity = await find();
      recent.delete(token);
      if (recent.size >= MOST) recent.clear();
      if (identity !== undefined && changes === before) recent.set(token, { identity, until });
      return identity;
    },
  };
}
