import { outputTo } from '../../packages/cli/src/output/output.ts';
import { auditOf } from '../../packages/cli/src/verify.ts';
import { ask } from '../moving/kit.ts';

/** What the database says, beside the answers of hosts. */

/** Everything that `baton verify` checks and finds. */
export function auditOfDatabase(url: string): ReturnType<typeof auditOf> {
  const out = outputTo('lines', false, { print: () => undefined, note: () => undefined });
  return auditOf({ location: { kind: 'postgres', url }, keyFile: undefined }, out);
}

/** The trees whose events do not have the places from 1 to the newest one, each once. There must be no forks. */
export function misplacedTrees(url: string): Promise<readonly unknown[]> {
  return ask(
    url,
    `SELECT root.run_id, root.places, count(*) AS events, count(DISTINCT events.place) AS different,
       min(events.place) AS least, max(events.place) AS most
     FROM runs AS root JOIN runs ON runs.root_no = root.run_no JOIN events ON events.run_no = runs.run_no
     WHERE root.run_no = root.root_no GROUP BY root.run_no
     HAVING (count(*), count(DISTINCT events.place), min(events.place), max(events.place))
       IS DISTINCT FROM (root.places, root.places, 1::bigint, root.places)`,
  );
}

const TREE = 'SELECT root_no FROM runs WHERE run_id = $1';

/** The rows about the tree of a run, for the message of a test that fails. */
export async function rowsAbout(url: string, runId: string): Promise<string> {
  const [runs, effects, hosts] = await Promise.all([
    ask(url, `SELECT * FROM runs WHERE root_no = (${TREE}) ORDER BY run_no`, [runId]),
    ask(url, `SELECT * FROM effects WHERE run_no IN (SELECT run_no FROM runs WHERE root_no = (${TREE}))`, [
      runId,
    ]),
    ask(url, 'SELECT *, clock_timestamp() AS now FROM hosts ORDER BY host_no'),
  ]);
  const lines = (name: string, rows: readonly unknown[]) =>
    rows.length === 0 ? [`${name}: none`] : rows.map((row) => `${name}: ${JSON.stringify(row)}`);
  return [...lines('runs', runs), ...lines('effects', effects), ...lines('hosts', hosts)].join('\n');
}
