import {
  type ClaimedEffect,
  type EffectClaim,
  type EffectClaims,
  type EffectOffer,
  type EffectRef,
  IN_DOUBT,
  type ReleasedEffect,
  type Slice,
  type SliceEffects,
  UnfitSliceError,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { gathering } from '../database/gather.ts';
import { effectOffers, LOCK_TREE, OFFER } from '../queries/offered-effects.ts';
import type { KnownRuns } from './known-runs.ts';
import { pairRows } from './pair-rows.ts';
import { type Statement, writing } from './statement.ts';

/** The effects that the slices of a batch intend and settle. */
interface EffectRows {
  add(effects: SliceEffects, slice: Slice): void;
  write(): readonly Statement[];
}

interface OwnedEffect {
  readonly key: string;
  readonly owner: string;
  readonly offer: EffectOffer | undefined;
}

export function effectRows(known: KnownRuns): EffectRows {
  const rows = pairRows<OwnedEffect>();

  function numberOf(runId: string): number {
    const run = known.of(runId);
    if (run === undefined)
      throw new UnfitSliceError(`the slice has effects of run ${runId}, which is not stored`);
    return run.runNo;
  }

  return {
    add({ owner, begun, settled }, { runs }) {
      for (const { runId, key, offer } of begun) rows.put(numberOf(runId), key, { key, owner, offer });
      if (settled === 'all') for (const { runId } of runs) rows.removeAll(numberOf(runId));
      else for (const { runId, key } of settled) rows.remove(numberOf(runId), key);
    },
    write() {
      const removed = rows.writeRemovals('effects', 'key');
      const begun = rows.left();
      const owned = begun.filter(({ offer }) => offer === undefined);
      return [...removed, ...begin(owned), ...offerAll(begun)];
    },
  };
}

type BegunRow = OwnedEffect & { readonly runNo: number };

function begin(rows: readonly BegunRow[]): readonly Statement[] {
  return writing(BEGIN, rows, ({ bigint, text }) => [
    bigint('run', ({ runNo }) => runNo),
    text('key of an effect', ({ key }) => key),
    text('owner of an effect', ({ owner }) => owner),
  ]);
}

function offerAll(begun: readonly BegunRow[]): readonly Statement[] {
  const rows = begun.flatMap(({ runNo, key, offer }) => (offer ? [{ runNo, key, ...offer }] : []));
  return writing(OFFER, rows, ({ bigint, text }) => [
    bigint('run', ({ runNo }) => runNo),
    text('key of an effect', ({ key }) => key),
    text('kind of an effect', ({ kind }) => kind),
    bigint('time of an offer', ({ at }) => at),
  ]);
}

export function effectClaims(database: Database): EffectClaims {
  return {
    ...effectOffers(database),
    claimEffects: gathering((claims: readonly EffectClaim[]) => claimTogether(database, claims)),
    releaseEffects: ({ owner, rootId, from, effects }) =>
      database.transaction(async (queries) => {
        const [tree] = await Promise.all([
          queries.row(LOCK_TREE, rootId, from),
          queries.run(RELEASE, ...refs(effects), rootId, from, owner, doubts(effects)),
        ]);
        return tree === undefined ? 'moved' : 'released';
      }),
  };
}

interface GivenColumns extends ClaimedEffect {
  readonly claim: number;
  readonly hasMoved: boolean;
  readonly isGranted: boolean;
}

/** The claims of one host, for one tree each. */
async function claimTogether(
  database: Database,
  claims: readonly EffectClaim[],
): Promise<readonly (readonly ClaimedEffect[] | 'moved')[]> {
  const given = claims.flatMap(({ rootId, from, effects }, claim) =>
    effects.map(({ runId, key }) => ({ claim, rootId, from, runId, key })),
  );
  const rows = await database.rows<GivenColumns>(
    CLAIM,
    given.map(({ claim }) => claim),
    given.map(({ rootId }) => rootId),
    given.map(({ from }) => from),
    given.map(({ runId }) => runId),
    given.map(({ key }) => key),
    claims[0]?.owner ?? '',
    [...new Set(claims.flatMap(({ alive }) => alive))],
  );
  return claims.map((_, claim) => {
    const own = rows.filter((row) => row.claim === claim);
    if (own.some(({ hasMoved }) => hasMoved)) return 'moved';
    return own.flatMap(({ key, hadOwner, isGranted }) => (isGranted ? [{ key, hadOwner }] : []));
  });
}

function refs(effects: readonly EffectRef[]) {
  return [effects.map(({ runId }) => runId), effects.map(({ key }) => key)] as const;
}

function doubts(effects: readonly ReleasedEffect[]): readonly string[] {
  return effects.flatMap(({ key, inDoubt }) => (inDoubt ? [key] : []));
}

const BEGIN = `
  INSERT INTO effects (run_no, key, owner) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
  ON CONFLICT (run_no, key) DO UPDATE SET owner = excluded.owner`;

/** The effects that were asked for, if the tree has not moved. */
const ASKED = `
  SELECT runs.run_no, given.key, given.at
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (run_id, key, at) JOIN runs USING (run_id)
  WHERE EXISTS (SELECT FROM runs AS root WHERE root.run_id = $3 AND root.places = $4)`;

/**
 * The trees are locked first, so no slice moves them before the statement ends, and compared as they are then. An owner is
 * at work if it is among $7, or if it is the number of a host that is at work.
 */
const CLAIM = `
  WITH given AS (
    SELECT * FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::text[], $5::text[])
      WITH ORDINALITY AS given (claim, root_id, place, run_id, key, at)),
  locked AS MATERIALIZED (
    SELECT run_id, places FROM runs WHERE run_id = ANY($2::text[]) ORDER BY run_no FOR NO KEY UPDATE),
  asked AS MATERIALIZED (
    SELECT given.at, runs.run_no, given.key
    FROM given JOIN locked ON locked.run_id = given.root_id AND locked.places = given.place
    JOIN runs ON runs.run_id = given.run_id),
  before AS (SELECT effects.* FROM effects JOIN asked USING (run_no, key)),
  claimed AS (
    INSERT INTO effects (run_no, key, owner) SELECT DISTINCT run_no, key, $6::text FROM asked
    ON CONFLICT (run_no, key) DO UPDATE SET owner = excluded.owner
    WHERE effects.owner <> excluded.owner AND effects.owner <> ALL ($7::text[])
      AND NOT EXISTS (SELECT FROM hosts WHERE hosts.host_no::text = effects.owner)
    RETURNING run_no, key
  )
  SELECT given.claim, given.key, asked.at IS NULL AS "hasMoved", coalesce(before.owner <> '', false) AS "hadOwner",
    coalesce(claimed.key IS NOT NULL OR before.owner = $6, false) AS "isGranted"
  FROM given LEFT JOIN asked USING (at)
  LEFT JOIN before ON before.run_no = asked.run_no AND before.key = asked.key
  LEFT JOIN claimed ON claimed.run_no = asked.run_no AND claimed.key = asked.key
  ORDER BY given.at`;

/** An effect that was offered keeps its row, so that it is offered again. So does one that may have been performed ($6). */
const RELEASE = `
  WITH asked AS (SELECT asked.*, key = ANY ($6::text[]) AS doubtful FROM (${ASKED}) AS asked),
  again AS (
    UPDATE effects SET owner = CASE WHEN doubtful THEN '${IN_DOUBT}' ELSE '' END FROM asked
    WHERE effects.run_no = asked.run_no AND effects.key = asked.key AND effects.owner = $5
      AND (kind IS NOT NULL OR doubtful)
  )
  DELETE FROM effects USING asked
  WHERE effects.run_no = asked.run_no AND effects.key = asked.key AND effects.owner = $5
    AND kind IS NULL AND NOT doubtful`;
