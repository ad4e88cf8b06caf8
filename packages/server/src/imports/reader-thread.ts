import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { type PreparedImport, prepareImport, publicKey, uuidIds } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import { vaultOf } from '../secrets/host-vault.ts';
import type { FromReader, ReaderTask } from './messages.ts';

/** Reads one bundle, in a thread that nobody else waits for and that can be stopped at any moment. */

const port = parentPort ?? process.exit(1);
const task = workerData as ReaderTask;
const say = (message: FromReader): void => port.postMessage(message);

function parsed(): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(task.body));
  } catch {
    throw new BatonError('invalid_json');
  }
}

function prepared(): PreparedImport {
  const { caller, at, knownKeys } = task;
  return prepareImport({
    bundle: parsed(),
    caller,
    at,
    newId: () => uuidIds.rootRunId(at),
    redactor: vaultOf(task.vault).redactor(caller.tenant),
    knownKeys: knownKeys.map((pem) => publicKey(pem, 'a known audit key')),
  });
}

function problemOf(problem: unknown): BatonError {
  if (problem instanceof BatonError) return problem;
  const why = problem instanceof Error ? problem.message : String(problem);
  return new BatonError('bundle_invalid', `The bundle cannot be read: ${why}.`);
}

try {
  const { slices, result } = prepared();
  const digest = createHash('sha256').update(task.body).digest('hex');
  let next = 0;
  port.on('message', () => say({ kind: 'part', part: JSON.stringify(slices[next++]) }));
  say({ kind: 'read', digest, result, parts: slices.length });
} catch (problem) {
  say({ kind: 'refused', error: problemOf(problem).body() });
}
