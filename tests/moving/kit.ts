import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { moveData } from '../../packages/cli/src/move/move-data.ts';
import { outputTo } from '../../packages/cli/src/output/output.ts';

/** A folder that is removed after the test. */
export function folderFor(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `baton-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Moved {
  readonly exit: number;
  readonly printed: readonly string[];
  readonly noted: string;
}

/** The command `baton move`, in this process. */
export async function move(folder: string, to: string, form: 'lines' | 'json' = 'lines'): Promise<Moved> {
  const printed: string[] = [];
  const noted: string[] = [];
  const out = outputTo(form, false, {
    print: (text) => void printed.push(text),
    note: (text) => void noted.push(text),
  });
  const exit = await moveData({}, { data: folder, to }, out);
  return { exit, printed, noted: noted.join('\n') };
}

// biome-ignore lint/suspicious/noExplicitAny: rows of many queries are read in tests.
export async function ask(url: string, sql: string, values: readonly unknown[] = []): Promise<any[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query(sql, [...values])
    .then(({ rows }) => rows)
    .finally(() => client.end());
}
