import { CONFORMANCE } from '@baton/conformance/engine';
import {
  type Caller,
  debugBundle,
  foldStored,
  type ImportResult,
  type PublicKey,
  prepareImport,
  type Redactor,
  type Reply,
  type SigningKey,
  snapshotOf,
  uuidIds,
} from '@baton/engine';
import { BatonError, type DebugBundle, type ErrorBody, MAX_BUNDLED_RUNS } from '@baton/protocol';
import { type Bench, CALLER } from './driver/test-engine.ts';

/** Bundles in tests: out of one driver and into another, without a server between them. */

export interface Exporting {
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

export interface Importing {
  readonly caller?: Caller;
  readonly knownKeys?: readonly PublicKey[];
  readonly redactor?: Redactor;
  /** Stops after so many parts, as if the process had been lost. */
  readonly parts?: number;
}

export type Taken =
  | { readonly ok: true; readonly value: ImportResult }
  | { readonly ok: false; readonly error: ErrorBody };

export async function importInto(
  { engine }: Pick<Bench, 'engine'>,
  bundle: unknown,
  { caller = CALLER, knownKeys = [], redactor, parts = Number.POSITIVE_INFINITY }: Importing = {},
): Promise<Taken> {
  try {
    const at = Date.UTC(2026, 6, 1);
    const newId = () => uuidIds.rootRunId(at);
    const { slices, result } = prepareImport({
      text: JSON.stringify(bundle),
      caller,
      at,
      newId,
      redactor,
      knownKeys,
      nodes: CONFORMANCE.nodes,
    });
    for (const [index, slice] of slices.slice(0, parts).entries()) {
      const reply: Reply = await engine.execute({
        kind: 'import-part',
        caller,
        part: JSON.stringify(slice),
        ...(index === slices.length - 1 && { result }),
      });
      if (!reply.ok) return reply;
    }
    return { ok: true, value: result };
  } catch (problem) {
    if (problem instanceof BatonError) return { ok: false, error: problem.body() };
    throw problem;
  }
}
