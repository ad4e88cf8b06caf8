import type {
  ClaimedEffect,
  EffectClaim,
  EffectClaims,
  EffectRelease,
  Slice,
  SliceEffects,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { atomically, transaction } from '../database/transaction.ts';
import type { RunNumbers } from './run-numbers.ts';
import { UnfitSliceError } from './unfit-slice.ts';

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
    for (const { runId, key } of begun) insert.run(numberOf(runId), key, owner);
    if (settled === 'all') for (const { runId } of runs) removeAll.run(numberOf(runId));
    else for (const { runId, key } of settled) remove.run(numberOf(runId), key);
  };
}

export function effectClaims(database: Database): EffectClaims {
  const own = transaction(database);
  const treeAt = database.prepare<{ places: number }>('SELECT places FROM runs WHERE run_id = ?');
  const claim = database.prepare(CLAIM);
  const ownerOf = database.prepare<{ owner: string }>(OWNER);
  const release = database.prepare(RELEASE);

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
      const hadOwner = ownerOf.get(runId, key) !== undefined;
      claim.run(key, owner, runId, others);
      if (ownerOf.get(runId, key)?.owner === owner) granted.push({ key, hadOwner });
    }
    return granted;
  }

  function releaseAll({ owner, rootId, from, effects }: EffectRelease): 'released' | 'moved' {
    if (treeAt.get(rootId)?.places !== from) return 'moved';
    for (const { runId, key } of effects) release.run(runId, key, owner);
    return 'released';
  }

  return {
    claimEffects: async (given) => atomically(own, () => claimAll(given)),
    releaseEffects: async (given) => atomically(own, () => releaseAll(given)),
  };
}

const CLAIM = `
  INSERT INTO effects (run_no, key, owner) SELECT run_no, ?, ? FROM runs WHERE run_id = ?
  ON CONFLICT (run_no, key) DO UPDATE SET owner = excluded.owner
  WHERE owner <> excluded.owner AND owner NOT IN (SELECT value FROM json_each(?))`;

const OWNER = 'SELECT owner FROM effects JOIN runs USING (run_no) WHERE run_id = ? AND key = ?';

const RELEASE = `
  DELETE FROM effects WHERE run_no = (SELECT run_no FROM runs WHERE run_id = ?) AND key = ? AND owner = ?`;

const INSERT = `
  INSERT INTO effects (run_no, key, owner) VALUES (?, ?, ?)
  ON CONFLICT (run_no, key) DO UPDATE SET owner = excluded.owner`;
