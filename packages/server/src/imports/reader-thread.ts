import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { prepareImport, publicKey, uuidIds } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import { vaultOf } from '../secrets/host-vault.ts';
import { engineExtension } from '../thread/extension.ts';
import type { FromReader, ReaderSettings, ReaderTask, ToReader } from './messages.ts';

/** Reads bundles in a separate thread, which delays no other request and can be stopped at any moment. */

const port = parentPort ?? process.exit(1);
const settings = workerData as ReaderSettings;
const vault = vaultOf(settings.vault);
const knownKeys = settings.knownKeys.map((pem) => publicKey(pem, 'a known audit key'));
const nodes = (await engineExtension(settings.extension))?.nodes;
let parts: readonly unknown[] = [];
let given = 0;

function textOf(body: Uint8Array): string {
  if (!isUtf8(body)) throw new BatonError('invalid_json', 'The body is not valid UTF-8.');
  return new TextDecoder().decode(body);
}

function read({ body, caller, secrets, at }: ReaderTask): FromReader {
  try {
    secrets.forEach(vault.change);
    const { slices, result } = prepareImport({
      text: textOf(body),
      caller,
      at,
      newId: () => uuidIds.rootRunId(at),
      redactor: vault.redactor(caller.tenant),
      knownKeys,
      nodes,
    });
    parts = slices;
    given = 0;
    const digest = createHash('sha256').update(body).digest('hex');
    return { kind: 'read', digest, result, parts: slices.length };
  } catch (problem) {
    return { kind: 'refused', error: problemOf(problem).body() };
  }
}

function problemOf(problem: unknown): BatonError {
  if (problem instanceof BatonError) return problem;
  const why = problem instanceof Error ? problem.message : String(problem);
  return new BatonError('bundle_invalid', `The bundle cannot be read: ${why}.`);
}

port.on('message', (message: ToReader) => {
  switch (message.kind) {
    case 'read':
      return port.postMessage(read(message));
    case 'next':
      return port.postMessage({ kind: 'part', part: JSON.stringify(parts[given++]) } satisfies FromReader);
    case 'forget':
      parts = [];
  }
});
