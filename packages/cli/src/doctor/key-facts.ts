import { readAuditKey } from '@baton/server';
import { type StorageLocation, storageAt } from '@baton/server/storage';
import { auditKeyFile, type Environment, type Flags, find } from '../settings/given.ts';
import type { KeyFacts } from './facts.ts';

/** The keys that the environment and the data folder hold. Without a data folder there are none yet. */
export async function keyFacts(location: StorageLocation, env: Environment, flags: Flags): Promise<KeyFacts> {
  const storage = storageAt(location);
  const given = typeof flags.key === 'string' || find('BATON_API_KEY', env, flags) !== undefined;
  const development = await settled(storage.readKey('development'));
  const audit = await settled(readAuditKey(storage, auditKeyFile(env, flags)));
  const apiKeys = await settled(countKeys(location));
  return {
    operator: given ? 'environment' : development.value === undefined ? 'none' : 'development',
    auditKey: audit.failed ? 'unreadable' : audit.value === undefined ? 'absent' : 'present',
    ...(apiKeys.value !== undefined && { apiKeys: apiKeys.value }),
  };
}

async function countKeys(location: StorageLocation): Promise<number> {
  const reads = await storageAt(location).openReads();
  try {
    return (await reads.keys()).length;
  } finally {
    await reads.close();
  }
}

async function settled<T>(asked: Promise<T>): Promise<{ readonly value?: T; readonly failed: boolean }> {
  try {
    return { value: await asked, failed: false };
  } catch {
    return { failed: true };
  }
}
