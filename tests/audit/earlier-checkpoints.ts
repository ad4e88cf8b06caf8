import { createHash, createPrivateKey, sign } from 'node:crypto';
import Database from 'better-sqlite3';

/**
 * Checkpoints as earlier versions wrote them: the digest covers a text, and the signature covers the digest
 * as 64 characters.
 */

interface EarlierLeaf {
  readonly runId: string;
  readonly head: number;
  readonly link: string;
}

interface EarlierCheckpoint {
  readonly number: number;
  readonly at: number;
  readonly keyId: string;
  readonly digest: string;
  readonly signature: string;
}

function earlierCheckpoint(
  previous: EarlierCheckpoint | undefined,
  at: number,
  leaves: readonly EarlierLeaf[],
  key: { readonly keyId: string; readonly privatePem: string },
): EarlierCheckpoint {
  const number = (previous?.number ?? 0) + 1;
  const lines = leaves.map(({ runId, head, link }) => `${runId} ${head} ${link}\n`).join('');
  const text = `${previous?.digest ?? ''}\n${number} ${at} ${key.keyId}\n${lines}`;
  const digest = createHash('sha256').update(text).digest('hex');
  const signature = sign(null, Buffer.from(digest), createPrivateKey(key.privatePem)).toString('base64');
  return { number, at, keyId: key.keyId, digest, signature };
}

/** Replaces the checkpoints of a host by earlier ones with the same leaves, as if it had just been updated. */
export function rewriteAsEarlier(
  folder: string,
  stored: readonly { readonly at: number; readonly leaves: readonly (EarlierLeaf | undefined)[] }[],
  key: { readonly keyId: string; readonly privatePem: string },
): void {
  const database = new Database(`${folder}/baton.db`);
  database.exec('DROP TRIGGER audit_checkpoints_not_changed');
  const change = database.prepare(
    'UPDATE audit_checkpoints SET digest = ?, signature = ?, sequence = NULL WHERE number = ?',
  );
  let previous: EarlierCheckpoint | undefined;
  for (const { at, leaves } of stored) {
    previous = earlierCheckpoint(previous, at, leaves as readonly EarlierLeaf[], key);
    change.run(previous.digest, previous.signature, previous.number);
  }
  database.close();
}
