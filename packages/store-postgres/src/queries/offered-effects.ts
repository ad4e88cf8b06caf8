import { type EffectClaims, IN_DOUBT, type LeftOffer } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

/** Effects that were offered: until a host claims them, their owner is the empty text, or `IN_DOUBT`. */
export function effectOffers(database: Database): Pick<EffectClaims, 'offerEffects' | 'leftOffers'> {
  return {
    offerEffects: ({ alive, rootId, from, effects }) =>
      database.transaction(async (queries) => {
        const [tree, offered] = await Promise.all([
          queries.row(LOCK_TREE, rootId, from),
          queries.rows<{ key: string }>(
            OFFER_LEFT,
            effects.map(({ runId }) => runId),
            effects.map(({ key }) => key),
            effects.map(({ offer }) => offer.kind),
            effects.map(({ offer }) => offer.at),
            rootId,
            from,
            alive,
          ),
        ]);
        return tree === undefined ? 'moved' : offered.map(({ key }) => key);
      }),
    leftOffers: ({ kinds, alive, before, now, limit }) =>
      database.rows<LeftOffer>(LEFT, kinds, alive, before, now, limit),
  };
}

/** Offers the effects of slices. */
export const OFFER = `
  INSERT INTO effects (run_no, key, owner, kind, offered_at)
  SELECT run_no, key, '', kind, at FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) AS given (run_no, key, kind, at)
  ON CONFLICT (run_no, key) DO UPDATE SET owner = '', kind = excluded.kind, offered_at = excluded.offered_at`;

/** No slice moves the tree before the transaction ends. */
export const LOCK_TREE = 'SELECT 1 FROM runs WHERE run_id = $1 AND places = $2 FOR NO KEY UPDATE';

const OFFER_LEFT = `
  INSERT INTO effects (run_no, key, owner, kind, offered_at)
  SELECT DISTINCT ON (runs.run_no, given.key) runs.run_no, given.key, '', given.kind, given.at
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS given (run_id, key, kind, at) JOIN runs USING (run_id)
  WHERE EXISTS (SELECT FROM runs AS root WHERE root.run_id = $5 AND root.places = $6)
  ON CONFLICT (run_no, key) DO UPDATE SET
    owner = CASE effects.owner WHEN '' THEN '' ELSE '${IN_DOUBT}' END,
    kind = excluded.kind, offered_at = excluded.offered_at
  WHERE (effects.owner NOT IN ('', '${IN_DOUBT}') OR effects.kind IS NULL) AND effects.owner <> ALL ($7::text[])
    AND NOT EXISTS (SELECT FROM hosts WHERE hosts.host_no::text = effects.owner)
  RETURNING key`;

/** A row that another host takes up at this moment is left to it. */
const LEFT = `
  WITH left_over AS (
    SELECT effects.run_no, effects.key FROM effects JOIN runs USING (run_no)
    WHERE effects.offered_at < $3 AND effects.kind = ANY ($1::text[]) AND runs.status <> 'paused'
      AND effects.owner <> ALL ($2::text[])
      -- Not a join: Postgres would not repeat it for a row that was claimed since the statement began.
      AND effects.owner <> ALL (ARRAY(SELECT hosts.host_no::text FROM hosts))
    ORDER BY effects.offered_at LIMIT $5 FOR UPDATE OF effects SKIP LOCKED
  ), taken AS (
    UPDATE effects SET offered_at = $4 FROM left_over
    WHERE effects.run_no = left_over.run_no AND effects.key = left_over.key
    RETURNING effects.run_no, effects.key
  )
  SELECT root.run_id AS "rootId", root.tenant, taken.key
  FROM taken JOIN runs USING (run_no) JOIN runs AS root ON root.run_no = runs.root_no`;
