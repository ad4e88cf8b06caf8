import {
  type EffectClaims,
  type EffectOffers,
  IN_DOUBT,
  type LeftOffer,
  type LeftOffersQuery,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { atomically, transaction } from '../database/transaction.ts';

/** Effects that were offered: until a host claims them, their owner is the empty text, or `IN_DOUBT`. */
export function effectOffers(database: Database): Pick<EffectClaims, 'offerEffects' | 'leftOffers'> {
  const own = transaction(database);
  const treeAt = database.prepare<{ places: number }>('SELECT places FROM runs WHERE run_id = ?');
  const offer = database.prepare(OFFER_LEFT);
  const left = database.prepare<LeftOffer & { runNo: number }>(LEFT);
  const offeredAt = database.prepare('UPDATE effects SET offered_at = ? WHERE run_no = ? AND key = ?');

  function offerAll({ alive, rootId, from, effects }: EffectOffers): readonly string[] | 'moved' {
    if (treeAt.get(rootId)?.places !== from) return 'moved';
    const others = JSON.stringify(alive);
    return effects
      .filter(({ runId, key, offer: { kind, at } }) => offer.run(key, kind, at, runId, others).changes > 0)
      .map(({ key }) => key);
  }

  function takeLeft({ kinds, alive, before, now, limit }: LeftOffersQuery): readonly LeftOffer[] {
    const found = left.all(before, JSON.stringify(kinds), JSON.stringify(alive), limit);
    for (const { runNo, key } of found) offeredAt.run(now, runNo, key);
    return found.map(({ rootId, tenant, key }) => ({ rootId, tenant, key }));
  }

  return {
    offerEffects: async (given) => atomically(own, () => offerAll(given)),
    leftOffers: async (query) => atomically(own, () => takeLeft(query)),
  };
}

const OFFER_LEFT = `
  INSERT INTO effects (run_no, key, owner, kind, offered_at) SELECT run_no, ?, '', ?, ? FROM runs WHERE run_id = ?
  ON CONFLICT (run_no, key) DO UPDATE
  SET owner = CASE owner WHEN '' THEN '' ELSE '${IN_DOUBT}' END, kind = excluded.kind, offered_at = excluded.offered_at
  WHERE (owner NOT IN ('', '${IN_DOUBT}') OR kind IS NULL) AND owner NOT IN (SELECT value FROM json_each(?))`;

const LEFT = `
  SELECT root.run_id AS rootId, root.tenant AS tenant, effects.key AS key, effects.run_no AS runNo
  FROM effects JOIN runs USING (run_no) JOIN runs AS root ON root.run_no = runs.root_no
  WHERE effects.offered_at < ? AND effects.kind IN (SELECT value FROM json_each(?)) AND runs.status <> 'paused'
    AND effects.owner NOT IN (SELECT value FROM json_each(?))
  ORDER BY effects.offered_at LIMIT ?`;
