import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { hostOf, locationOf } from '../commands/options.ts';
import { dataFolder, environment, type Flags } from '../settings/given.ts';
import { withProject } from '../settings/project-settings.ts';
import { readSettings } from '../settings.ts';
import { leastNode } from '../version.ts';
import type { DataFacts, Facts } from './facts.ts';
import { hostFacts } from './host-facts.ts';
import { keyFacts } from './key-facts.ts';
import { peerFacts } from './peer-facts.ts';

/** Looks at the machine, the data folder, the host and the peers. Nothing is changed. */
export async function gatherFacts(flags: Flags): Promise<Facts> {
  const env = environment();
  // The address and the key of a running host are no settings of a host on this machine.
  const reading = readSettings(withProject(env, {}), { data: flags.data });
  const address = hostOf(flags);
  const [{ facts: host, providers, peers }, keys] = await Promise.all([
    hostFacts(address),
    keyFacts(locationOf(flags), env, flags),
  ]);
  const configured = reading.ok ? Object.entries(reading.settings.models?.providers ?? {}) : [];
  return {
    node: { version: process.versions.node, least: leastNode() },
    settings: { problems: reading.ok ? [] : reading.problems, warnings: reading.warnings },
    data: dataFacts(dataFolder(env, flags)),
    host,
    keys,
    models:
      providers ??
      (configured.length > 0 ? configured : UNCONFIGURED).map(([provider, { kind }]) => ({ provider, kind })),
    peers: await peerFacts(peers, locationOf(flags)),
  };
}

/** A host without a provider uses the built-in one. */
const UNCONFIGURED = [['scripted', { kind: 'scripted' }]] as const;

function dataFacts(folder: string): DataFacts {
  const path = resolve(folder);
  const existing = nearestExisting(path);
  const isFolder = statSync(existing).isDirectory();
  const state = !isFolder ? 'not-a-folder' : existing === path ? 'folder' : 'absent';
  return { folder: path, state, writable: isWritable(existing), freeBytes: freeBytes(existing) };
}

/** The path, or the nearest folder above it that exists, or a file that is in the place of a folder. */
function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
