import { foldTexts, type Run } from '@baton/engine';
import type { JsonObject, RunEvent, RunStatus } from '@baton/protocol';
import type { ProcessHost } from './host.ts';
import type { OpenQuestion, RunInTree } from './run-types.ts';

/** The logs of a run and of its descendants, as far as they have been read. */
interface TreeLogs {
  /** Reads the events that are new. */
  refresh(): Promise<void>;
  status(): RunStatus;
  /** The run itself first. */
  runs(): readonly RunInTree[];
  questions(): readonly OpenQuestion[];
}

interface Log {
  readonly texts: string[];
  readonly events: RunEvent[];
  status: RunStatus;
  folded?: Run;
}

const ALL = 1_000_000;

export function treeLogs(host: ProcessHost, rootId: string): TreeLogs {
  const logs = new Map<string, Log>();

  function logOf(runId: string): Log {
    const log = logs.get(runId);
    if (log === undefined) throw new Error(`The run "${runId}" has no events.`);
    return log;
  }

  function stateOf(runId: string): Run {
    const log = logOf(runId);
    log.folded ??= foldTexts(undefined, log.texts);
    return log.folded;
  }

  const tree = () => [rootId, ...[...logs.keys()].filter((runId) => runId.startsWith(`${rootId}.`))];

  return {
    async refresh() {
      for (const [runId, status] of host.changed()) {
        const log: Log = logs.get(runId) ?? { texts: [], events: [], status };
        logs.set(runId, log);
        log.status = status;
        const fresh = await host.reads.events(host.tenant, runId, log.texts.length, ALL);
        log.texts.push(...fresh);
        log.events.push(...fresh.map((text) => JSON.parse(text) as RunEvent));
        delete log.folded;
      }
    },
    status: () => logOf(rootId).status,
    questions: () => tree().flatMap((runId) => questionsOf(stateOf(runId))),
    runs: () =>
      tree().map((runId) => {
        const { workflowId, variables } = stateOf(runId);
        const { status, events } = logOf(runId);
        return { runId, workflowId, status, events, variables };
      }),
  };
}

function questionsOf(run: Run): readonly OpenQuestion[] {
  return Object.values(run.interrupts).map(({ nodeId, request, expiresAt }) => ({
    runId: run.runId,
    nodeId,
    kind: request.kind,
    data: request.data as unknown as JsonObject,
    ...(expiresAt !== undefined && { expiresAt }),
  }));
}
