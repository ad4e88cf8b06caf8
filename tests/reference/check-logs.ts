import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '@baton/protocol';
import Database from 'better-sqlite3';
import { checkOfficial, referenceFolder } from '../../packages/conformance/src/testkit/official-schemas.ts';
import { restored } from '../../packages/engine/src/ports/rows/short-text.ts';

interface Row {
  readonly tenant: string;
  readonly runId: string;
  readonly seq: number;
  readonly data: string;
}

const EVENTS = 'SELECT run_id AS runId, tenant, seq, data FROM events JOIN runs USING (run_no)';

/** Checks every event that a host has stored in its data folder, for these tenants or for all, against the protocol's schemas. */
export function checkLogs(dataFolder: string, tenants?: readonly string[]): void {
  const file = join(dataFolder, 'baton.db');
  if (referenceFolder === undefined || !existsSync(file)) return;
  const database = new Database(file, { readonly: true });
  try {
    for (const { runId, tenant, seq, data } of database.prepare<[], Row>(EVENTS).all()) {
      if (tenants !== undefined && !tenants.includes(tenant)) continue;
      const event = JSON.parse(restored(data, runId, seq)) as RunEvent;
      // What was erased is no longer what its schema asks for.
      if (!('erased' in event.payload)) checkOfficial(event);
    }
  } finally {
    database.close();
  }
}
