import {
  type ClaimedEffect,
  type EffectClaim,
  type EffectClaims,
  type EffectRelease,
  IN_DOUBT,
  type Slice,
  type SliceEffects,
  UnfitSliceError,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { atomically, transaction } from '../database/transaction.ts';
import { effectOffers } from '../queries/offered-effects.ts';
import type { RunNumbers } from './run-numbers.ts';

/** Writes which effects a slice intends and settles. */
export function effectWriter(
  database: Database,
  numbers: RunNumbers,
): (effects: SliceEffects, slice: Slice) => void {
  const insert = database.prepare(INSERT);
  const remove = database.prepare('DELETE FROM effects WHERE run_no = ? AND key = ?');
  const removeAll = database.prepare('DELETE FROM effects WHERE run_no = ?');

  function numberOf(runId: string): number {
    const runNo = numbers.of(runId);
    if (runNo === undefined)
      throw new UnfitSliceError(`the slice has effects of run ${runId}, which is not stored`);
    return runNo;
  }

  return ({ owner, begun, settled }, { runs }) => {
    for (const { runId, key, offer } of begun)
      insert.run(numberOf(runId), key, offer ? '' : owner, offer?.kind ?? null, offer?.at ?? null);
    if (settled === 'all') for (const { runId } of runs) removeAll.run(numberOf(runId));
    else for (const { runId, key } of settled) remove.run(numberOf(runId), key);
  };
}

export function effectClaims(database: Database): EffectClaims {
  const own = transaction(database);
  const treeAt = database.prepare<{ places: number }>('SELECT places FROM runs WHERE run_id = ?');
  const claim = database.prepare(CLAIM);
  const ownerOf = database.prepare<{ owner: string }>(OWNER);
  const offerAgain = database.prepare(OFFER_AGAIN);
  const release = database.prepare(RELEASE);
  const keepDoubt = database.prepare(KEEP_DOUBT);

  function claimAll({
    owner,
    alive,
    rootId,
    from,
    effects,
  }: EffectClaim): readonly ClaimedEffect[] | 'moved' {
    if (treeAt.get(rootId)?.places !== from) return 'moved';
    const others = JSON.stringify(alive);
    const granted: ClaimedEffect[] = [];
    for (const { runId, key } of effects) {
      // An effect that was offered has the empty text for an owner.
      const hadOwner = (ownerOf.get(runId, key)?.owner ?? '') !== '';
      claim.run(key, owner, runId, others);
      if (ownerOf.get(runId, key)?.owner === owner) granted.push({ key, hadOwner });
    }
    return granted;
  }

  function releaseAll({ owner, rootId, from, effects }: EffectRelease): 'released' | 'moved' {
    if (treeAt.get(rootId)?.places !== from) return 'moved';
    for (const { runId, key, inDoubt } of effects) {
      if (inDoubt) keepDoubt.run(runId, key, owner);
      offerAgain.run(runId, key, owner);
      release.run(runId, key, owner);
    }
    return 'released';
  }

  return {
    ...effectOffers(database),
    claimEffects: async (given) => atomically(own, () => claimAll(given)),
    releaseEffects: async (given) => atomically(own, () => releaseAll(given)),
  };
}

const CLAIM = `
  INSERT INTO effects (run_no, key, owner) SELECT run_no, ?, ? FROM runs WHERE run_id = ?
  ON CONFLICT (run_no, key) DO UPDATE SET owner = excluded.owner
  WHERE owner <> excluded.owner AND owner NOT IN (SELECT value FROM json_each(?))`;

const OWNER = 'SELECT owner FROM effects JOIN runs USING (run_no) WHERE run_id = ? AND key = ?';

const OFFER_AGAIN = `
  UPDATE effects SET owner = ''
  WHERE run_no = (SELECT run_no FROM runs WHERE run_id = ?) AND key = ? AND owner = ? AND kind IS NOT NULL`;

const KEEP_DOUBT = `
  UPDATE effects SET owner = '${IN_DOUBT}'
  WHERE run_no = (SELECT run_no FROM runs WHERE run_id = ?) AND key = ? AND owner = ?`;

const RELEASE = `
  DELETE FROM effects WHERE run_no = (SELECT run_no FROM runs WHERE run_id = ?) AND key = ? AND owner = ?`;

const INSERT = `
  INSERT INTO effects (run_no, key, owner, kind, offered_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (run_no, key) DO UPDATE
  SET owner = excluded.owner, kind = excluded.kind, offered_at = excluded.offered_at`;
