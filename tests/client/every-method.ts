import { type Baton, connect } from '@baton/client';
import type { OperationName } from '@baton/protocol';

/** Every method of the client, with a call of it and the operations that the call uses, in their order. */

type Use = readonly [call: (baton: Baton) => unknown, ...operations: readonly OperationName[]];

const definition = { id: 'w' } as never;
const agent = {} as never;
const webhook = { url: 'https://receiver.example' } as never;

export const METHODS: Readonly<Record<string, Use>> = {
  inbox: [(baton) => baton.inbox(), 'listInterrupts'],
  answer: [(baton) => baton.answer({ runId: 'r', nodeId: 'n' }, { action: 'accept' }), 'answerInterrupt'],
  models: [(baton) => baton.models(), 'listModels'],
  peers: [(baton) => baton.peers(), 'listPeers'],
  usage: [(baton) => baton.usage(), 'readUsage'],
  usageHistory: [(baton) => baton.usageHistory({ days: 7, by: 'agent' }), 'readUsageHistory'],
  'runs.start': [(baton) => baton.runs.start('w', {}), 'createRun'],
  'runs.list': [(baton) => baton.runs.list().next(), 'listRuns'],
  'runs.page': [(baton) => baton.runs.page(), 'listRuns'],
  'runs.watch': [(baton) => baton.runs.watch().next(), 'watchRuns'],
  'runs.stats': [(baton) => baton.runs.stats(), 'countRuns'],
  'runs.cancelMany': [(baton) => baton.runs.cancelMany(['r']), 'bulkCancelRuns'],
  'run.events': [(baton) => baton.run('r').events().next(), 'readEvents', 'pollEvents'],
  'run.live': [(baton) => baton.run('r').live().next(), 'readEvents', 'pollEvents'],
  'run.tree': [(baton) => baton.run('r').tree().next(), 'readTreeEvents'],
  'run.values': [(baton) => baton.run('r').values().next(), 'readEvents'],
  'run.log': [(baton) => baton.run('r').log(), 'readEvents'],
  'run.result': [(baton) => baton.run('r').result(), 'readRun'],
  'run.snapshot': [(baton) => baton.run('r').snapshot(), 'readRun'],
  'run.state': [(baton) => baton.run('r').state(), 'readRunState'],
  'run.stateAt': [(baton) => baton.run('r').stateAt(3), 'readRunState'],
  'run.interrupts': [(baton) => baton.run('r').interrupts(), 'listInterrupts'],
  'run.answer': [(baton) => baton.run('r').answer({ action: 'accept' }, { nodeId: 'n' }), 'answerInterrupt'],
  'run.cancel': [(baton) => baton.run('r').cancel(), 'cancelRun'],
  'run.pause': [(baton) => baton.run('r').pause(), 'pauseRun'],
  'run.resume': [(baton) => baton.run('r').resume(), 'resumeRun'],
  'run.erase': [(baton) => baton.run('r').erase({ reason: 'asked to' }), 'eraseRun'],
  'run.fork': [(baton) => baton.run('r').fork(), 'forkRun'],
  'run.branch': [(baton) => baton.run('r').branch({ at: 2 }), 'forkRun'],
  'run.retry': [(baton) => baton.run('r').retry(), 'retryRun'],
  'run.diff': [(baton) => baton.run('r').diff('s'), 'diffRuns'],
  'run.attestations': [(baton) => baton.run('r').attestations(), 'readAttestations'],
  'run.ancestry': [(baton) => baton.run('r').ancestry(), 'readAncestry'],
  'run.artifact': [(baton) => baton.run('r').artifact('a'), 'readArtifact'],
  'run.bundle': [(baton) => baton.run('r').bundle(), 'exportRun'],
  'workflows.register': [(baton) => baton.workflows.register(definition), 'registerWorkflow'],
  'workflows.list': [(baton) => baton.workflows.list(), 'listWorkflows'],
  'workflows.read': [(baton) => baton.workflows.read('w'), 'readWorkflow'],
  'workflows.versions': [(baton) => baton.workflows.versions('w', { before: 3 }), 'listWorkflowVersions'],
  'workflows.validate': [(baton) => baton.workflows.validate(definition), 'validateWorkflow'],
  'agents.register': [(baton) => baton.agents.register(agent), 'registerAgent'],
  'agents.list': [(baton) => baton.agents.list(), 'listAgents'],
  'agents.read': [(baton) => baton.agents.read('a.b'), 'readAgent'],
  'agents.tools': [(baton) => baton.agents.tools('a.b'), 'listAgentTools'],
  'agents.start': [(baton) => baton.agents.start('a.b'), 'createRun'],
  'agents.message': [(baton) => baton.agents.message('a.b', 'hello'), 'messageAgent'],
  'agents.chat': [(baton) => baton.agents.chat('a.b').send('hello'), 'messageAgent'],
  'memory.scopes': [(baton) => baton.memory.scopes().next(), 'listMemoryScopes'],
  'memory.read': [(baton) => baton.memory.read('s'), 'readMemory'],
  'workspace.list': [(baton) => baton.workspace.list(), 'listFiles'],
  'workspace.read': [(baton) => baton.workspace.read('a/b.md'), 'readFile'],
  'workspace.write': [(baton) => baton.workspace.write('a/b.md', 'text'), 'writeFile'],
  'workspace.delete': [(baton) => baton.workspace.delete('a/b.md'), 'deleteFile'],
  'secrets.list': [(baton) => baton.secrets.list(), 'listSecrets'],
  'secrets.put': [(baton) => baton.secrets.put('name', 'a value'), 'putSecret'],
  'secrets.delete': [(baton) => baton.secrets.delete('name'), 'deleteSecret'],
  'webhooks.create': [(baton) => baton.webhooks.create(webhook), 'createWebhook'],
  'webhooks.list': [(baton) => baton.webhooks.list(), 'listWebhooks'],
  'webhooks.read': [(baton) => baton.webhooks.read('h'), 'readWebhook'],
  'webhooks.delete': [(baton) => baton.webhooks.delete('h'), 'deleteWebhook'],
  'webhooks.pause': [(baton) => baton.webhooks.pause('h'), 'pauseWebhook'],
  'webhooks.resume': [(baton) => baton.webhooks.resume('h'), 'resumeWebhook'],
  'webhooks.rotate': [(baton) => baton.webhooks.rotate('h'), 'rotateWebhook'],
  'webhooks.ping': [(baton) => baton.webhooks.ping('h'), 'pingWebhook'],
  'webhooks.deliveries': [(baton) => baton.webhooks.deliveries('h').next(), 'listDeliveries'],
  'webhooks.deadLetters': [(baton) => baton.webhooks.deadLetters('h').next(), 'listDeadLetters'],
  'webhooks.redeliver': [(baton) => baton.webhooks.redeliver('h'), 'redeliver'],
  'audit.verify': [(baton) => baton.audit.verify().next(), 'verifyAudit'],
  'audit.log': [(baton) => baton.audit.log(0, 1), 'verifyAudit'],
  'audit.key': [(baton) => baton.audit.key(), 'readAuditKey'],
  'host.health': [(baton) => baton.host.health(), 'checkHealth'],
  'host.readiness': [(baton) => baton.host.readiness(), 'checkReadiness'],
  'host.metrics': [(baton) => baton.host.metrics(), 'readMetrics'],
  'host.capabilities': [(baton) => baton.host.capabilities(), 'discover'],
  'host.api': [(baton) => baton.host.api(), 'describeApi'],
  'host.agentCard': [(baton) => baton.host.agentCard(), 'readAgentCard'],
  'host.facts': [(baton) => baton.host.facts(), 'readHost'],
  'host.hosts': [(baton) => baton.host.hosts(), 'listHosts'],
  'host.keys': [(baton) => baton.host.keys(), 'listKeys'],
  'host.heldRuns': [(baton) => baton.host.heldRuns(), 'listHeldRuns'],
  'host.releaseHeldRun': [(baton) => baton.host.releaseHeldRun('r'), 'releaseHeldRun'],
  'host.rotateSecrets': [(baton) => baton.host.rotateSecrets(), 'rotateSecrets'],
  'session.read': [(baton) => baton.session.read(), 'readSession'],
  'session.ways': [(baton) => baton.session.ways(), 'readSignInWays'],
  'session.createCode': [(baton) => baton.session.createCode(), 'createSignInCode'],
  'session.signIn': [(baton) => baton.session.signIn({ code: 'c' }), 'signIn'],
  'session.signOut': [(baton) => baton.session.signOut(), 'signOut'],
  'links.read': [(baton) => baton.links.read('token'), 'readInterruptLink'],
  'links.answer': [(baton) => baton.links.answer('token', { action: 'accept' }), 'answerInterruptLink'],
};

/** Operations without a method, and why. */
export const WITHOUT_METHOD: Readonly<Partial<Record<OperationName, string>>> = {
  diffRunsByVerb: 'another address of diffRuns',
  readAgentCardAlias: 'another address of readAgentCard',
  answerApproval: 'the old address of answerInterrupt',
  reportRemoteRun: 'hosts report to each other with it',
  beginOidcSignIn: 'browsers are led there',
  finishOidcSignIn: 'the provider leads browsers there',
  callA2a: 'A2A has clients of its own',
  callMcp: 'MCP has clients of its own',
  listenMcp: 'MCP has clients of its own',
  endMcpSession: 'MCP has clients of its own',
};

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly headers: Headers;
  readonly hasBody: boolean;
}

/** The requests of one call. Streams are answered as ended ones; all else is refused, so that nothing follows. */
export async function requestsOf([call]: Use): Promise<readonly SentRequest[]> {
  const sent: SentRequest[] = [];
  const baton = connect({
    url: 'http://host.example',
    key: 'a-key',
    patience: { tries: 1, streamTries: 1 },
    async fetch(url, init) {
      const { pathname, searchParams } = new URL(url);
      const headers = new Headers(init.headers);
      sent.push({
        method: init.method ?? 'GET',
        path: decodeURIComponent(pathname),
        query: [...searchParams.keys()],
        headers,
        hasBody: init.body !== undefined,
      });
      if (headers.get('accept') === 'text/event-stream') {
        return new Response('', { headers: { 'content-type': 'text/event-stream' } });
      }
      if (pathname.endsWith('/poll')) return Response.json({ events: [], isComplete: true });
      return Response.json({ error: 'not_found', message: 'There is nothing.' }, { status: 404 });
    },
  });
  await Promise.resolve(call(baton)).catch(() => undefined);
  return sent;
}

/** The names of all methods of an object, with those of its parts. `run` stands for a handle of a run. */
export function methodNames(part: object, prefix = ''): readonly string[] {
  return Object.entries(part).flatMap(([name, value]) => {
    if (typeof value === 'function') return [`${prefix}${name}`];
    return typeof value === 'object' && value !== null ? methodNames(value, `${prefix}${name}.`) : [];
  });
}
