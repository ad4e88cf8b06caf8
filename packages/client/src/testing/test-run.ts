import { auditRun, foldTexts, type Run } from '@baton/engine';
import { isTerminal, type JsonObject, type RunEvent, type RunStatus } from '@baton/protocol';
import { milliseconds } from './duration.ts';
import { eventList } from './event-list.ts';
import type { ProcessHost } from './host.ts';
import { mergesIn } from './merges.ts';
import type { OpenQuestion, RunInTree, TestRun } from './run-types.ts';

interface Log {
  readonly texts: string[];
  readonly events: RunEvent[];
  status: RunStatus;
  folded?: Run;
}

/** More alarms than this mean that the run never comes to rest. */
const MOST_ALARMS = 10_000;

const ALL = 1_000_000;

export async function testRun(host: ProcessHost, rootId: string, principal: string): Promise<TestRun> {
  const logs = new Map<string, Log>();

  async function refresh(): Promise<void> {
    for (const [runId, status] of host.changed()) {
      const log: Log = logs.get(runId) ?? { texts: [], events: [], status };
      logs.set(runId, log);
      log.status = status;
      const fresh = await host.reads.events(host.tenant, runId, log.texts.length, ALL);
      log.texts.push(...fresh);
      log.events.push(...fresh.map((text) => JSON.parse(text) as RunEvent));
      delete log.folded;
    }
  }

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
  const questions = () => tree().flatMap((runId) => questionsOf(stateOf(runId)));
  const eventsOf = (runId: string): readonly RunEvent[] => logOf(runId).events;
  const command = async (given: Parameters<ProcessHost['execute']>[0]) => {
    await host.execute(given);
    await refresh();
  };
  const own = { caller: { tenant: host.tenant, principal }, runId: rootId };
  const viewOf = (runId: string): RunInTree => {
    const { workflowId, variables } = stateOf(runId);
    return { runId, workflowId, status: logOf(runId).status, events: eventsOf(runId), variables };
  };

  const self: TestRun = {
    runId: rootId,
    get status() {
      return logOf(rootId).status;
    },
    get events() {
      return eventsOf(rootId);
    },
    get variables() {
      return stateOf(rootId).variables;
    },
    get error() {
      return eventsOf(rootId).find((event) => event.type === 'run.failed')?.payload.error;
    },
    get descendants() {
      return tree().slice(1).map(viewOf);
    },
    get questions() {
      return questions();
    },
    get merges() {
      return mergesIn(eventsOf(rootId));
    },
    get now() {
      return new Date(host.clock.now());
    },
    async answer(nodeId, value, { by = 'reviewer', scopes = [] } = {}) {
      const open = questions().find((one) => one.nodeId === nodeId);
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
      await refresh();
    },
    async untilAtRest() {
      for (let rung = 0; rung < MOST_ALARMS; rung += 1) {
        const next = host.clock.next();
        if (isTerminal(self.status) || questions().length > 0 || next === undefined) return;
        await self.pass(Math.max(0, next - host.clock.now()));
      }
      throw new Error(
        `The run does not come to rest: time passed ${MOST_ALARMS} times.\n\n${self.describe()}`,
      );
    },
    cancel: (reason) => command({ ...own, kind: 'cancel-run', ...(reason !== undefined && { reason }) }),
    pause: () => command({ ...own, kind: 'pause-run', drainPolicy: 'drain-current-node' }),
    resume: () => command({ ...own, kind: 'resume-run' }),
    async audit() {
      const audit = await auditRun(host.reads, { tenant: host.tenant, runId: rootId });
      if (audit === undefined) throw new Error(`The run "${rootId}" has no log.`);
      return audit;
    },
    describe: () => eventList(tree().map(viewOf), questions()),
  };
  await refresh();
  return self;
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
