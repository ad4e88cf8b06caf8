import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { BundleRefusal, type BundleSummary, openBundle, publicKey } from '@baton/engine';
import { OPERATOR_TENANT } from '../auth/keyring.ts';
import { fillFolder } from '../storage/fill-folder.ts';

/** Opens one bundle, in a thread of its own. */

export interface BundleTask {
  readonly file: string;
  readonly folder: string | undefined;
  /** Public keys, as PEM. */
  readonly trusted: readonly string[];
}

export type FromBundleThread =
  | { readonly kind: 'opened'; readonly summary: BundleSummary }
  | { readonly kind: 'refused'; readonly message: string };

const port = parentPort ?? process.exit(1);

async function open({ file, folder, trusted }: BundleTask): Promise<FromBundleThread> {
  try {
    const { summary, contents } = openBundle({
      text: textOf(file),
      tenant: OPERATOR_TENANT,
      trusted: trusted.map((pem) => publicKey(pem, 'a trusted audit key')),
    });
    if (folder !== undefined) await fillFolder(folder, contents);
    return { kind: 'opened', summary };
  } catch (problem) {
    return { kind: 'refused', message: messageOf(problem) };
  }
}

function textOf(file: string): string {
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) throw new BundleRefusal('The bundle is not valid UTF-8.');
  return new TextDecoder().decode(bytes);
}

function messageOf(problem: unknown): string {
  if (problem instanceof BundleRefusal) return problem.message;
  return `The bundle cannot be opened: ${problem instanceof Error ? problem.message : String(problem)}`;
}

port.postMessage(await open(workerData as BundleTask));
