import {
  BatonError,
  type JsonObject,
  mayBeIllFormed,
  type RunEvent,
  requireWellFormed,
  type WorkflowDefinition,
} from '@baton/protocol';
import type { PublicKey } from '../audit/signing-key.ts';
import type { Caller } from '../commands.ts';
import { definitionDigest } from '../driver/workflows.ts';
import { checkDefinition } from '../kernel/graph/registration.ts';
import type { Redactor } from '../kernel/secrecy/redaction.ts';
import { type NodeTypes, PRODUCT_NODES } from '../nodes/index.ts';
import type { Slice } from '../ports/store.ts';
import { arrivingRuns } from './arriving-runs.ts';
import { arrivingMemory } from './bundled-memory.ts';
import { freshNames } from './fresh-names.ts';
import { importSlices } from './import-slices.ts';
import { type ReadBundle, readBundle } from './read-bundle.ts';
import { orRefused, refused } from './refused.ts';

/**
 * From a bundle to what is stored of it: as history under a name of its own, which nothing here will ever move, but
 * which can be read, audited and replayed. Takes as long as the bundle is large, so it is no work for a thread that
 * others wait for.
 */
export interface ImportOrder {
  /** A debug bundle, as it came. */
  readonly text: string;
  readonly caller: Caller;
  readonly at: number;
  readonly newId: () => string;
  readonly redactor?: Redactor | undefined;
  /** The keys of hosts that this one believes. */
  readonly knownKeys: readonly PublicKey[];
  /** Those of the product when not given. */
  readonly nodes?: NodeTypes | undefined;
}

export interface PreparedImport {
  readonly result: ImportResult;
  /** To be stored one after the other; the last makes the tree visible. */
  readonly slices: readonly Slice[];
}

export interface ImportResult {
  readonly runId: string;
  /** What it was called where it comes from. */
  readonly from: string;
  readonly runs: number;
  /** Every log led to the link that it came with. */
  readonly verified: boolean;
  /** The known key that signed the bundle; nothing when nobody vouches for it. */
  readonly vouchedBy?: string;
}

export function prepareImport(order: ImportOrder): PreparedImport {
  const { caller, at, newId, redactor, knownKeys, nodes = PRODUCT_NODES } = order;
  const bundle = readBundle(parsed(order.text), knownKeys);
  const definitions = definitionsOf(bundle, redactor, nodes);
  const names = freshNames(bundle.mainId, newId);
  const runs = arrivingRuns(bundle, { names, redactor }, { tenant: caller.tenant, by: caller.principal, at });
  const scopes = arrivingMemory(bundle.tree.memory, names, redactor);
  const rootId = names.inText(bundle.mainId);
  const { verified, vouchedBy, mainId } = bundle;
  return {
    result: {
      runId: rootId,
      from: mainId,
      runs: runs.length,
      verified,
      ...(vouchedBy !== undefined && { vouchedBy }),
    },
    slices: importSlices({ rootId, tenant: caller.tenant, runs, definitions, scopes }),
  };
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BatonError('invalid_json');
  }
  if (mayBeIllFormed(text)) requireWellFormed(value, 'The bundle');
  return value;
}

/** Whatever this host has switched off: a definition that came along is read, and not run. */
const EVERYTHING = { dispatchMapping: true, subWorkflowInputMapping: true };

/** What the runs were started with must be there, be what its digest says, and be something this host can read. */
function definitionsOf({ tree, runs }: ReadBundle, redactor: Redactor | undefined, nodes: NodeTypes) {
  const found = new Map<string, string>();
  for (const { run, texts } of runs) {
    const first = (run.fork?.fromSeq ?? 0) === 0 ? texts[0] : undefined;
    const event = first === undefined ? undefined : (JSON.parse(first) as RunEvent);
    const digest = event?.type === 'run.started' ? event.payload.definition : undefined;
    if (digest === undefined || found.has(digest)) continue;
    const given = Object.hasOwn(tree.definitions, digest) ? tree.definitions[digest] : undefined;
    found.set(digest, definitionText(digest, given, redactor, nodes));
  }
  return [...found].map(([digest, definition]) => ({ digest, definition }));
}

function definitionText(
  digest: string,
  given: JsonObject | undefined,
  redactor: Redactor | undefined,
  nodes: NodeTypes,
): string {
  const found = orRefused(
    () => given && definitionDigest(given as unknown as WorkflowDefinition),
    `a definition (${digest})`,
  );
  if (found !== digest) throw refused(`lacks the definition ${digest}, or has another`);
  checkDefinition(given, EVERYTHING, nodes.of, nodes.ids);
  const text = JSON.stringify(given);
  // A definition is known by its digest, so there is no taking anything out of it.
  if (redactor && redactor.redactText(text) !== text) {
    throw refused(`has a definition (${digest}) that holds the value of a secret of this host`);
  }
  return text;
}
