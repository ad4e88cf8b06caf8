import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFORMANCE } from '@baton/conformance/engine';
import {
  BundleRefusal,
  type BundleSummary,
  debugBundle,
  foldStored,
  openBundle,
  type PublicKey,
  type Redactor,
  type SigningKey,
  snapshotOf,
} from '@baton/engine';
import { BatonError, type DebugBundle, MAX_BUNDLED_RUNS } from '@baton/protocol';
import { fillFolder } from '@baton/store-sqlite';
import { onTestFinished } from 'vitest';
import { type Bench, type BenchOptions, CALLER, startTestEngine } from './driver/test-engine.ts';

/** Bundles in tests: out of one driver and into another, without a server between them. */

interface Exporting {
  readonly tenant?: string;
  readonly maxBytes?: number;
  readonly key?: SigningKey;
  readonly redactor?: Redactor;
}

export async function bundleText(
  { reads }: Bench,
  runId: string,
  { tenant = CALLER.tenant, ...more }: Exporting = {},
): Promise<string> {
  const { row, stored, descendants } = (await reads.treeView(tenant, runId, 0, MAX_BUNDLED_RUNS))!;
  const pieces: string[] = [];
  for await (const piece of debugBundle(reads, {
    row,
    descendants,
    snapshot: snapshotOf(foldStored(stored!), row, []),
    host: { name: 'Baton', version: '0' },
    now: 0,
    maxBytes: 16 * 1024 * 1024,
    ...more,
  })) {
    pieces.push(piece);
  }
  return pieces.join('');
}

export async function bundleOf(...given: Parameters<typeof bundleText>): Promise<DebugBundle> {
  return JSON.parse(await bundleText(...given));
}

interface Opening {
  readonly tenant?: string;
  readonly trusted?: readonly PublicKey[];
}

function opened(bundle: unknown, { tenant = CALLER.tenant, trusted = [] }: Opening) {
  return openBundle({ text: JSON.stringify(bundle), tenant, trusted, nodes: CONFORMANCE.nodes });
}

/** What the reader says of a bundle, or why it refuses the bundle. */
export function checked(bundle: unknown, opening: Opening = {}): BundleSummary | string {
  try {
    return opened(bundle, opening).summary;
  } catch (problem) {
    if (problem instanceof BundleRefusal || problem instanceof BatonError) return problem.message;
    throw problem;
  }
}

/** A new data folder with the runs of the bundle. */
export async function folderOf(bundle: unknown, opening: Opening = {}): Promise<string> {
  const { contents } = opened(bundle, opening);
  const folder = mkdtempSync(join(tmpdir(), 'baton-bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await fillFolder(folder, contents);
  return folder;
}

/** A driver over such a folder. */
export async function openedIn(bundle: unknown, options: BenchOptions = {}): Promise<Bench> {
  return startTestEngine({ ...options, folder: await folderOf(bundle) });
}
