import { auditRun, foldTexts, type Run } from '@baton/engine';
import { isTerminal, type JsonObject, type RunEvent, type RunStatus } from '@baton/protocol';
import { milliseconds } from './duration.ts';
import { eventList } from './event-list.ts';
import type { ProcessHost } from './host.ts';
import { mergesIn } from './merges.ts';
import type { OpenQuestion, RunInTree, TestRun } from './run-types.ts';

/** More alarms than this mean that the run never comes to rest. */
const MOST_ALARMS = 10_000;

export async function testRun(host: ProcessHost, rootId: string, principal: string): Promise<TestRun> {
  const logs = treeLogs(host, rootId);
  const own = { caller: { tenant: host.tenant, principal }, runId: rootId };
  const root = () => logs.runs()[0] as RunInTree;
  const command = async (given: Parameters<ProcessHost['execute']>[0]) => {
    await host.execute(given);
    await logs.refresh();
  };

  const self: TestRun = {
    runId: rootId,
    get status() {
      return logs.status();
    },
    get events() {
      return root().events;
    },
    get variables() {
      return root().variables;
    },
    get error() {
      return root().events.find((event) => event.type === 'run.failed')?.payload.error;
    },
    get descendants() {
      return logs.runs().slice(1);
    },
    get questions() {
      return logs.questions();
    },
    get merges() {
      return mergesIn(root().events);
    },
    get now() {
      return new Date(host.clock.now());
    },
    async answer(nodeId, value, { by = 'reviewer', scopes = [] } = {}) {
      const open = logs.questions().find((one) => one.nodeId === nodeId);
      if (open === undefined) throw new Error(`No question is open at "${nodeId}".\n\n${self.describe()}`);
      await command({
        kind: 'resolve-interrupt',
        caller: { tenant: host.tenant, principal: by },
        runId: open.runId,
        target: { nodeId },
        resumeValue: value,
        viaToken: false,
        scopes,
      });
    },
    decide: (nodeId, action, more = {}, options = {}) => self.answer(nodeId, { action, ...more }, options),
    async pass(duration) {
      await host.pass(milliseconds(duration));
      await logs.refresh();
    },
    async untilAtRest() {
      for (let rung = 0; rung < MOST_ALARMS; rung += 1) {
        const next = host.clock.next();
        if (isTerminal(self.status) || self.questions.length > 0 || next === undefined) return;
        await self.pass(Math.max(0, next - host.clock.now()));
      }
      const message = `The run does not come to rest: time passed ${MOST_ALARMS} times.`;
      throw new Error(`${message}\n\n${self.describe()}`);
    },
    cancel: (reason) => command({ ...own, kind: 'cancel-run', ...(reason !== undefined && { reason }) }),
    pause: () => command({ ...own, kind: 'pause-run', drainPolicy: 'drain-current-node' }),
    resume: () => command({ ...own, kind: 'resume-run' }),
    async audit() {
      const audit = await auditRun(host.reads, { tenant: host.tenant, runId: rootId });
      if (audit === undefined) throw new Error(`The run "${rootId}" has no log.`);
      return audit;
    },
    describe: () => eventList(logs.runs(), logs.questions()),
  };
  await logs.refresh();
  return self;
}

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

function treeLogs(host: ProcessHost, rootId: string): TreeLogs {
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
