import type { RunRow } from '@baton/engine/ports';
import {
  BatonError,
  HANDOFF_EXTENSION,
  isTerminal,
  type JsonObject,
  type RunSnapshot,
} from '@baton/protocol';
import { type OpenQuestion, openQuestion } from '../published/open-question.ts';
import { resultOf } from '../published/result.ts';
import { isShownTo } from '../published/shown-runs.ts';
import { snapshotFrom } from '../runs/snapshot.ts';
import type { McpCall } from './call.ts';

/** The state of a run, as a caller of MCP is told. */
export interface ShownRun {
  readonly row: RunRow;
  readonly snapshot: RunSnapshot;
  /** The question of the run, or of a run below it. */
  readonly question: OpenQuestion | undefined;
}

export async function shownRow({ host, identity }: McpCall, runId: string): Promise<RunRow> {
  const row = await host.reads.run(identity.tenant, runId);
  if (row === undefined || !isShownTo(identity, row)) throw noSuchRun(runId);
  return row;
}

export async function readRun({ host, identity }: McpCall, runId: string): Promise<ShownRun> {
  const view = await host.reads.runView(identity.tenant, runId, 0);
  if (view === undefined || !isShownTo(identity, view.row)) throw noSuchRun(runId);
  const snapshot = await snapshotFrom(host, view, identity);
  return { row: view.row, snapshot, question: await openQuestion(host, identity, snapshot) };
}

/** A run of another tenant is treated like a run that does not exist. */
function noSuchRun(runId: string): BatonError {
  return new BatonError('not_found', `There is no run ${runId} for this caller.`);
}

/** The run as data: its status, and its outputs, its error or its question. */
export function handleOf({ row, snapshot, question }: ShownRun, outputs?: JsonObject): JsonObject {
  const { runId, status } = row;
  const { error } = snapshot;
  return {
    runId,
    status,
    ...(outputs && { outputs }),
    ...(error && { error: { code: error.code, message: error.message } }),
    ...(question && { interrupt: { ...question } }),
  };
}

/** The outputs of a run that completed, and the facts about them that travel in the metadata of a result. */
export function outputsOf(
  { host }: McpCall,
  { row, snapshot }: ShownRun,
): { readonly outputs?: JsonObject; readonly meta: JsonObject } {
  const { runId, status } = row;
  const result = resultOf(host, row, snapshot);
  const run = { 'dev.baton/run': { hostId: host.hostId, runId, status } };
  const meta: JsonObject = {
    ...run,
    ...(result?.statement && { [HANDOFF_EXTENSION]: { ...result.statement } }),
  };
  return isTerminal(status) && status === 'completed' && result
    ? { outputs: result.outputs, meta }
    : { meta };
}
