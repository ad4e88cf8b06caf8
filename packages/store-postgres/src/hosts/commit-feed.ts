import type { ChangeListeners, MovedRun, StoreChange } from '@baton/engine/ports';
import type pg from 'pg';
import type { Self } from '../self.ts';
import { lastingConnection } from './lasting-connection.ts';

/** Tells what other hosts have committed. */
interface CommitFeed {
  close(): Promise<void>;
}

interface CommitRow {
  readonly changed: string | null;
  readonly runs: readonly MovedRun[] | null;
}

/** Notices that come within this time are read together. */
const GATHER_MS = 4;
/** A connection that is half open tells nothing. It is noticed by this question. */
const ASK_EVERY_MS = 2000;
const ANSWER_WITHIN_MS = 2000;

export async function commitFeed(url: string, self: Self, { tell }: ChangeListeners): Promise<CommitFeed> {
  let heard = new Map<string, readonly [host: number, number: number]>();
  let gathering: NodeJS.Timeout | undefined;
  let wasOpen = false;

  function missed(): void {
    tell({ kind: 'missed' });
  }

  async function opened(client: pg.Client): Promise<void> {
    client.on('notification', ({ payload = '' }) => {
      const [host = 0, number = 0] = payload.split(' ').map(Number);
      if (host === self.hostNo) return;
      heard.set(payload, [host, number]);
      gathering ??= setTimeout(() => void read().catch(missed), GATHER_MS);
    });
    await client.query('LISTEN baton');
    // Commits between the loss of the last connection and this moment were not heard.
    if (wasOpen) missed();
    wasOpen = true;
  }

  async function read(): Promise<void> {
    gathering = undefined;
    const wanted = [...heard.values()];
    heard = new Map();
    const client = connection.client();
    if (client === undefined) return;
    const { rows } = await client.query<CommitRow>({
      name: 'commits',
      text: READ,
      values: [wanted.map(([host]) => host), wanted.map(([, number]) => number)],
    });
    const runs = rows.flatMap((row) => row.runs ?? []);
    if (runs.length > 0) tell({ kind: 'moved', runs });
    for (const { changed } of rows) {
      if (changed === null) continue;
      // The host that has stored it tells the peer. If that host is lost, all rows are read again.
      for (const change of JSON.parse(changed) as readonly StoreChange[])
        if (change.kind !== 'remote-cancel') tell(change);
    }
  }

  const connection = await lastingConnection({ url, name: 'baton feed', opened, lost: () => undefined });

  const asking = setInterval(() => {
    const client = connection.client();
    if (client === undefined) return;
    const late = setTimeout(() => client.emit('error', new Error('no answer')), ANSWER_WITHIN_MS);
    client
      .query('SELECT 1')
      .catch(() => undefined)
      .finally(() => clearTimeout(late));
  }, ASK_EVERY_MS);

  return {
    async close() {
      clearInterval(asking);
      clearTimeout(gathering);
      await connection.close();
    },
  };
}

/** The runs as they are now. They may have moved on since, which is told again. */
const READ = `
  SELECT changed, (
    SELECT json_agg(json_build_object('runId', run_id, 'lastSequence', head - 1, 'status', status))
    FROM runs WHERE run_no = ANY(commits.run_nos)) AS runs
  FROM commits
  JOIN unnest($1::bigint[], $2::bigint[]) AS wanted(host_no, n) USING (host_no, n)
  ORDER BY xid`;
