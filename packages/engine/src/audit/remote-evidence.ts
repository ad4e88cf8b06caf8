import {
  digest,
  isJsonObject,
  type Json,
  type JsonObject,
  problemWith,
  ResultStatement,
  remoteWorker,
} from '@baton/protocol';
import { own } from '../kernel/graph/own.ts';
import { outputsOf, type Run } from '../kernel/run.ts';
import { isSealed } from '../kernel/secrecy/sealed.ts';
import { verifiesStatement } from './result-statement.ts';
import type { PublicKey } from './signing-key.ts';

/** What the log of this host proves about a run on another host, without a connection to that host. */
export interface RemoteEvidence {
  readonly hostId: string;
  readonly runId: string;
  /** As the other host has signed it. */
  readonly checksum: string;
  /** From the recorded outputs. Absent when secrets of this host are hidden in them. */
  readonly recomputed?: string;
  readonly signature: 'valid' | 'invalid' | 'key-unknown';
  /** Absent when the signature or the outputs cannot be checked here. */
  readonly matches?: boolean;
}

/** `undefined` for a child of this host, and for an agent of another kind, which signs nothing. */
export function remoteEvidence(
  child: Run,
  keyOf: (hostId: string) => PublicKey | undefined,
): RemoteEvidence | undefined {
  if (remoteWorker(child.workflowId) === undefined) return undefined;
  const [nodeId = ''] = Object.keys(child.nodes);
  const { statement: given, harvestedKeys: keys } = outputsOf(child, nodeId) ?? {};
  if (given === undefined || problemWith(ResultStatement, given) !== undefined) return undefined;
  const statement = given as unknown as ResultStatement;
  const key = keyOf(statement.hostId);
  const recomputed = checksumOf(child, keys);
  // The peer may have another key by now. The statement names the key that signed it.
  const isKnown = key !== undefined && key.keyId === statement.keyId;
  const signature = !isKnown ? 'key-unknown' : verifiesStatement(key, statement) ? 'valid' : 'invalid';
  const agrees = recomputed === undefined ? undefined : recomputed === statement.checksum;
  return {
    hostId: statement.hostId,
    runId: statement.runId,
    checksum: statement.checksum,
    ...(recomputed !== undefined && { recomputed }),
    signature,
    ...(signature === 'invalid' || agrees === false
      ? { matches: false }
      : signature === 'valid' && agrees === true && { matches: true }),
  };
}

/** The outputs are variables of the run that stands for the remote one. */
function checksumOf({ variables }: Run, keys: Json | undefined): string | undefined {
  const names = Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
  const outputs: Record<string, Json> = {};
  for (const name of names) {
    const value = own(variables, name);
    if (value !== undefined) outputs[name] = value;
  }
  return hidesSomething(outputs) ? undefined : digest(outputs);
}

function hidesSomething(value: Json | JsonObject): boolean {
  if (typeof value === 'string') return value.includes('[REDACTED:') || isSealed(value);
  if (Array.isArray(value)) return value.some(hidesSomething);
  return (
    isJsonObject(value) &&
    Object.entries(value).some(([name, one]) => hidesSomething(name) || hidesSomething(one))
  );
}
