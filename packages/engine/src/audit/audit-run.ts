import { setImmediate } from 'node:timers/promises';
import { type JsonObject, type RunEvent, rootRunId, type WorkflowDefinition } from '@baton/protocol';
import { foldTexts } from '../fold.ts';
import type { Run } from '../kernel/run.ts';
import type { RunRow, StoreReads } from '../ports/store.ts';
import { type AuditedMerge, allMatch, auditMerge } from './attestations.ts';
import { createHandoffReader } from './gated-handoffs.ts';

/** What the stored logs of a run and its children say about everything that came to a gate. */
export interface RunAudit {
  readonly runId: string;
  readonly attestations: readonly AuditedMerge[];
  readonly allMatch: boolean;
}

type AuditReads = Pick<StoreReads, 'events' | 'definition' | 'run'>;

interface RunOfTenant {
  readonly tenant: string;
  readonly runId: string;
}

const EVENTS_AT_ONCE = 128;

/**
 * Reads whole logs and no checkpoint: a cache is not evidence. Lets others have the thread between pages.
 * Nothing comes back when there is no such run.
 */
export async function auditRun(
  reads: AuditReads,
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
  const definition = definitionOf(reads, digest);
  const wordings = wordingsOf(reads, { tenant, runId });
  const attestations: AuditedMerge[] = [];
  for (const handoff of reader.handoffs()) {
    const child = await foldedChild(reads, { tenant, runId: handoff.childRunId });
    const audited = wordings.map((words) => auditMerge(handoff, reader, definition, child, words));
    const found = audited.find(({ matches }) => matches !== false) ?? audited[0];
    if (found) attestations.push(found);
  }
  return { runId, attestations, allMatch: allMatch(attestations) };
}

type Wording = (value: JsonObject) => JsonObject;

/**
 * Values may hold names of runs, and a checksum is of the names that the runs had when it was made. An imported tree had
 * other names where it comes from. A replay has the checksums of its source as far as it follows, and then its own.
 */
function wordingsOf(reads: AuditReads, { tenant, runId }: RunOfTenant): readonly Wording[] {
  const here: Wording = (value) => value;
  const names: (readonly [here: string, there: string])[] = [];
  let row = reads.run(tenant, runId);
  const isReplay = row?.imported === undefined && row?.fork?.mode === 'replay';
  while (row !== undefined) {
    const { imported, fork }: RunRow = row;
    const there = imported?.from ?? (fork?.mode === 'replay' ? fork.sourceRunId : undefined);
    if (there === undefined) break;
    names.push(rootsOf(row.runId, there));
    row = imported ? undefined : reads.run(tenant, there);
  }
  const first: Wording = (value) =>
    JSON.parse(names.reduce((text, [own, other]) => text.replaceAll(own, other), JSON.stringify(value)));
  if (names.length === 0) return [here];
  return isReplay ? [first, here] : [first];
}

/** The root of a name, and what stands in its place in the other name: a child may have been replayed by itself. */
function rootsOf(runId: string, other: string): readonly [here: string, there: string] {
  const root = rootRunId(runId);
  return [root, other.slice(0, other.length - (runId.length - root.length))];
}

function definitionOf(reads: AuditReads, digest: string): WorkflowDefinition {
  const text = reads.definition(digest);
  if (text === undefined)
    throw new Error(`the definition ${digest} that the run was started with is missing`);
  return JSON.parse(text) as WorkflowDefinition;
}

/** The child as its log tells it. A log that does not fold is no evidence of anything. */
async function foldedChild(reads: AuditReads, { tenant, runId }: RunOfTenant): Promise<Run | undefined> {
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

async function* pagesOf(reads: AuditReads, tenant: string, runId: string) {
  let from = 0;
  for (;;) {
    const page = reads.events(tenant, runId, from, EVENTS_AT_ONCE);
    if (page.length === 0) return;
    yield page;
    from += page.length;
    await setImmediate();
  }
}
