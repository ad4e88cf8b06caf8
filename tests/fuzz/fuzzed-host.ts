import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROLE_NAMES, scopesOfRole } from '@baton/engine';
import { openSqliteStore } from '@baton/store-sqlite';
import { type HostProcess, startProcess } from '../crash/host-process.ts';
import { WORKFLOWS } from '../http/workflows.ts';

/** A host in a process of its own, which may fall, with a key for each role of two tenants. */
export interface FuzzedHost {
  readonly url: string;
  readonly folder: string;
  readonly keys: readonly FuzzKey[];
  /** Everything the process has written. */
  output(): string;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

interface FuzzKey {
  readonly token: string;
  readonly tenant: string;
  readonly role: (typeof ROLE_NAMES)[number];
}

export const FUZZED_TENANTS = ['acme', 'globex'] as const;

export async function startFuzzedHost(): Promise<FuzzedHost> {
  const base = mkdtempSync(join(tmpdir(), 'baton-fuzz-'));
  const folder = join(base, 'data');
  const workflows = join(base, 'workflows');
  mkdirSync(workflows);
  for (const definition of WORKFLOWS) {
    const { id } = definition as { id: string };
    writeFileSync(join(workflows, `${id}.json`), JSON.stringify(definition));
  }
  const keys = await putKeys(folder);
  const host: HostProcess = await startProcess(folder, workflows, { BATON_LOG_LEVEL: 'error' });
  let output = '';
  let ended = false;
  host.process.once('exit', () => {
    ended = true;
  });
  for (const stream of [host.process.stdout, host.process.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return {
    url: host.url,
    folder,
    keys,
    output: () => output,
    hasEnded: () => ended,
    async stop() {
      await host.kill('SIGTERM');
      rmSync(base, { recursive: true, force: true });
    },
  };
}

async function putKeys(folder: string): Promise<readonly FuzzKey[]> {
  const store = openSqliteStore(folder);
  const keys = FUZZED_TENANTS.flatMap((tenant) =>
    ROLE_NAMES.map((role) => ({ token: `key-of-${tenant}-${role}`, tenant, role })),
  );
  for (const { token, tenant, role } of keys) {
    const hash = createHash('sha256').update(token).digest('hex');
    const record = { id: token, hash, tenant, principal: role, createdAt: Date.now() };
    await store.putKey({ ...record, scopes: [...scopesOfRole(role)], roles: [role] });
  }
  await store.close();
  return keys;
}
