import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailableError } from '@baton/engine/ports';
import { expect, it, onTestFinished } from 'vitest';
import { fakeServer } from '../../testing/fake-server.ts';
import { binariesOf } from '../../testing/postgres-server.ts';
import { transactionPooler } from '../../testing/transaction-pooler.ts';
import { startOwnServer } from '../server/own-server.ts';
import { requireSafeServer } from './safe-server.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-unsafe-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function serverWith(
  settings: Readonly<Record<string, string>>,
  folder: string = newFolder(),
): Promise<string> {
  const server = await startOwnServer({ binaries: binariesOf(18), folder, settings });
  onTestFinished(() => server.stop('at once'));
  return server.url();
}

it('takes a server with its usual settings', async () => {
  await expect(requireSafeServer(await serverWith({}))).resolves.toBeUndefined();
});

it.each(['fsync', 'synchronous_commit', 'full_page_writes'])(
  'refuses a server with %s off, and says why',
  async (name) => {
    const url = await serverWith({ [name]: 'off' });
    await expect(requireSafeServer(url)).rejects.toThrow(`"${name} = off", so a crash could lose runs`);
  },
);

it('says that a server cannot be reached', async () => {
  await expect(requireSafeServer('postgres://baton:x@127.0.0.1:1/baton')).rejects.toThrow(
    StoreUnavailableError,
  );
});

it('refuses a standby', async () => {
  const folder = newFolder();
  const primary = await startOwnServer({ binaries: binariesOf(18), folder });
  await primary.stop();
  writeFileSync(join(folder, 'data', 'standby.signal'), '');
  const url = await serverWith({}, folder);
  await expect(requireSafeServer(url)).rejects.toThrow(
    'a replica, which cannot be written: name the primary',
  );
});

const FACTS = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', replica: false };

it('refuses a server that is older than those that Baton is tested with', async () => {
  const url = await fakeServer({ row: { version: 14, ...FACTS } });
  await expect(requireSafeServer(url)).rejects.toThrow('Postgres 14, and Baton needs Postgres 15 or later');
});

it.each(['newest', 'oldest', 'same'] as const)(
  'refuses a pooler in transaction mode without other work that gives a client the %s session',
  async (order) => {
    const url = await transactionPooler(await serverWith({}), order);
    await expect(requireSafeServer(url)).rejects.toThrow('behind a pooler in transaction mode');
  },
);

it('refuses a pooler that takes no settings, and does not say that it cannot be reached', async () => {
  const url = await fakeServer({ refusal: 'unsupported startup parameter: options' });
  await expect(requireSafeServer(url)).rejects.toThrow('a pooler that keeps no settings of a connection');
});
