import { setImmediate } from 'node:timers/promises';
import { type JsonObject, type RunEvent, rootRunId, type WorkflowDefinition } from '@baton/protocol';
import { foldTexts } from '../fold.ts';
import type { Run } from '../kernel/run.ts';
import type { LogReads } from '../ports/reads/logs.ts';
import type { PeerReads } from '../ports/reads/peers.ts';
import type { RunReads } from '../ports/reads/runs.ts';
import type { DefinitionReads } from '../ports/reads/workflows.ts';
import type { RunRow } from '../ports/store.ts';
import { type AuditedMerge, allMatch, auditMerge } from './attestations.ts';
import { createHandoffReader } from './gated-handoffs.ts';
import { type PublicKey, publicKey } from './signing-key.ts';

/** The merges of a run, checked against the stored logs of the run and its children. */
export interface RunAudit {
  readonly runId: string;
  readonly attestations: readonly AuditedMerge[];
  readonly allMatch: boolean;
}

type MergeReads = Pick<LogReads, 'events'> &
  Pick<RunReads, 'run'> &
  DefinitionReads &
  Pick<PeerReads, 'peers'>;

interface RunOfTenant {
  readonly tenant: string;
  readonly runId: string;
}

const EVENTS_AT_ONCE = 128;

/**
 * Reads whole logs and no saved state, because a cache is not evidence. Gives the thread to other work
 * between pages. `undefined` when the run does not exist.
 */
export async function auditRun(
  reads: MergeReads,
  { tenant, runId }: RunOfTenant,
): Promise<RunAudit | undefined> {
  const reader = createHandoffReader();
  let digest: string | undefined;
  for await (const page of pagesOf(reads, tenant, runId)) {
    for (const text of page) {
      const event = JSON.parse(text) as RunEvent;
      if (event.type === 'run.started') digest = event.payload.definition;
      reader.add(event);
    }
  }
  if (digest === undefined) return undefined;
  const definition = await definitionOf(reads, digest);
  const wordings = await wordingsOf(reads, { tenant, runId });
  const keys = await keysOfPeers(reads);
  const attestations: AuditedMerge[] = [];
  for (const handoff of reader.handoffs()) {
    const child = await foldedChild(reads, { tenant, runId: handoff.childRunId });
    const audited = wordings.map((words) =>
      auditMerge(handoff, reader, definition, child, words, (hostId) => keys.get(hostId)),
    );
    const found = audited.find(({ matches }) => matches !== false) ?? audited[0];
    if (found) attestations.push(found);
  }
  return { runId, attestations, allMatch: allMatch(attestations) };
}

/** The pinned audit keys, by host id. */
async function keysOfPeers(reads: Pick<PeerReads, 'peers'>): Promise<ReadonlyMap<string, PublicKey>> {
  const keys = new Map<string, PublicKey>();
  for (const { name, hostId, auditKey } of await reads.peers()) {
    if (hostId !== undefined && auditKey !== undefined)
      keys.set(hostId, publicKey(auditKey, `the peer ${name}`));
  }
  return keys;
}

type Wording = (value: JsonObject) => JsonObject;

/**
 * Values may contain ids of runs, and a checksum covers the ids that the runs had when it was made. A replay has
 * the checksums of its source as far as it follows the source, and its own ones after that.
 */
async function wordingsOf(reads: MergeReads, { tenant, runId }: RunOfTenant): Promise<readonly Wording[]> {
  const here: Wording = (value) => value;
  const names: (readonly [here: string, there: string])[] = [];
  let row = await reads.run(tenant, runId);
  while (row?.fork?.mode === 'replay') {
    const { runId: here, fork }: RunRow = row;
    if (fork === undefined) break;
    names.push(rootsOf(here, fork.sourceRunId));
    row = await reads.run(tenant, fork.sourceRunId);
  }
  const first: Wording = (value) =>
    JSON.parse(names.reduce((text, [own, other]) => text.replaceAll(own, other), JSON.stringify(value)));
  return names.length === 0 ? [here] : [first, here];
}

/**
 * The root part of an id, and the corresponding part of the other id. Both ids may be of children: a child
 * can be replayed by itself.
 */
function rootsOf(runId: string, other: string): readonly [here: string, there: string] {
  const root = rootRunId(runId);
  return [root, other.slice(0, other.length - (runId.length - root.length))];
}

async function definitionOf(reads: MergeReads, digest: string): Promise<WorkflowDefinition> {
  const text = await reads.definition(digest);
  if (text === undefined) throw new Error(`the definition ${digest} of the run is missing`);
  return JSON.parse(text) as WorkflowDefinition;
}

/** The child, folded from its log. `undefined` when the log cannot be folded. */
async function foldedChild(reads: MergeReads, { tenant, runId }: RunOfTenant): Promise<Run | undefined> {
  let run: Run | undefined;
  for await (const page of pagesOf(reads, tenant, runId)) {
    try {
      run = foldTexts(run, page);
    } catch {
      return undefined;
    }
  }
  return run;
}

async function* pagesOf(reads: MergeReads, tenant: string, runId: string) {
  let from = 0;
  for (;;) {
    const page = await reads.events(tenant, runId, from, EVENTS_AT_ONCE);
    if (page.length === 0) return;
    yield page;
    from += page.length;
    await setImmediate();
  }
}
