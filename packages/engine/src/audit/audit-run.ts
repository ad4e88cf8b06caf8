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
  const inFirstWords = firstWordsOf(reads.run(tenant, runId));
  const attestations: AuditedMerge[] = [];
  for (const handoff of reader.handoffs()) {
    const child = await foldedChild(reads, { tenant, runId: handoff.childRunId });
    attestations.push(auditMerge(handoff, reader, definition, child, inFirstWords));
  }
  return { runId, attestations, allMatch: allMatch(attestations) };
}

/** What was said of runs by the names that they had where they come from. */
function firstWordsOf(row: RunRow | undefined): (value: JsonObject) => JsonObject {
  const from = row?.imported?.from;
  if (row === undefined || from === undefined) return (value) => value;
  const [here, there] = [rootRunId(row.runId), rootRunId(from)];
  return (value) => JSON.parse(JSON.stringify(value).replaceAll(here, there)) as JsonObject;
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
