import type { OperationName } from '@baton/protocol';
import type { RouteOf } from './contract-types.ts';

/**
 * The method and the path of every operation that the client calls, whether a request may be sent twice, and by what an
 * answer is recognised as that of a Baton host: a member that it always has, and its kind. Other servers answer with
 * JSON, too; `{}` is no list of runs. The compiler compares each entry with the contract of the operation. They are
 * repeated here because the contracts are loaded together with all schemas of the protocol, which takes longer than a
 * command of a terminal may take to start.
 */
export const ROUTES = {
  discover: ['GET', '/.well-known/openwop', 'always', 'protocolVersion', 'string'],
  describeApi: ['GET', '/v1/openapi.json', 'always', 'openapi', 'string'],
  createSignInCode: ['POST', '/v1/session/codes', 'never', 'code', 'string'],
  signIn: ['POST', '/v1/session', 'never', 'tenant', 'string'],
  readSession: ['GET', '/v1/session', 'always', 'tenant', 'string'],
  readSignInWays: ['GET', '/v1/session/ways', 'always', 'oidc', 'boolean'],
  signOut: ['DELETE', '/v1/session', 'always'],
  checkHealth: ['GET', '/healthz', 'always', 'status', 'string'],
  checkReadiness: ['GET', '/readyz', 'always', 'status', 'string'],
  readMetrics: ['GET', '/metrics', 'always'],
  listHeldRuns: ['GET', '/v1/host/held-runs', 'always', 'runs', 'list'],
  releaseHeldRun: ['POST', '/v1/host/held-runs/{runId}:release', 'with-key', 'runId', 'string'],
  readHost: ['GET', '/v1/host', 'always', 'version', 'string'],
  listKeys: ['GET', '/v1/host/keys', 'always', 'keys', 'list'],
  listHosts: ['GET', '/v1/hosts', 'always', 'hosts', 'list'],
  listPeers: ['GET', '/v1/peers', 'always', 'peers', 'list'],
  readAncestry: ['GET', '/v1/runs/{runId}/ancestry', 'always', 'runId', 'string'],
  registerWorkflow: ['POST', '/v1/workflows', 'with-key', 'workflowId', 'string'],
  listWorkflows: ['GET', '/v1/workflows', 'always', 'workflows', 'list'],
  readWorkflow: ['GET', '/v1/workflows/{workflowId}', 'always', 'nodes', 'list'],
  listWorkflowVersions: ['GET', '/v1/workflows/{workflowId}/versions', 'always', 'versions', 'list'],
  validateWorkflow: ['POST', '/v1/workflows:validate', 'always', 'problems', 'list'],
  listModels: ['GET', '/v1/models', 'always', 'classes', 'list'],
  registerAgent: ['POST', '/v1/agents', 'with-key', 'agentId', 'string'],
  listAgents: ['GET', '/v1/agents', 'always', 'agents', 'list'],
  readAgent: ['GET', '/v1/agents/{agentId}', 'always', 'agentId', 'string'],
  listAgentTools: ['GET', '/v1/agents/{agentId}/tools', 'always', 'tools', 'list'],
  messageAgent: ['POST', '/v1/agents/{agentId}/messages', 'with-key', 'conversationId', 'string'],
  createRun: ['POST', '/v1/runs', 'with-key', 'runId', 'string'],
  listRuns: ['GET', '/v1/runs', 'always', 'runs', 'list'],
  countRuns: ['GET', '/v1/runs:stats', 'always', 'total', 'number'],
  watchRuns: ['GET', '/v1/runs:watch', 'always'],
  readRun: ['GET', '/v1/runs/{runId}', 'always', 'runId', 'string'],
  cancelRun: ['POST', '/v1/runs/{runId}/cancel', 'with-key', 'runId', 'string'],
  pauseRun: ['POST', '/v1/runs/{runId}:pause', 'with-key', 'runId', 'string'],
  resumeRun: ['POST', '/v1/runs/{runId}:resume', 'with-key', 'runId', 'string'],
  bulkCancelRuns: ['POST', '/v1/runs:bulk-cancel', 'with-key', 'results', 'list'],
  eraseRun: ['POST', '/v1/runs/{runId}:erase', 'with-key', 'runId', 'string'],
  forkRun: ['POST', '/v1/runs/{runId}:fork', 'with-key', 'runId', 'string'],
  retryRun: ['POST', '/v1/runs/{runId}:retry', 'with-key', 'runId', 'string'],
  readRunState: ['GET', '/v1/runs/{runId}/state', 'always', 'runId', 'string'],
  diffRuns: ['GET', '/v1/runs/{runId}/diff', 'always', 'eventDiffs', 'list'],
  exportRun: ['GET', '/v1/runs/{runId}/debug-bundle', 'always', 'events', 'list'],
  readAttestations: ['GET', '/v1/runs/{runId}/attestations', 'always', 'attestations', 'list'],
  readArtifact: ['GET', '/v1/runs/{runId}/artifacts/{artifactId}', 'always', 'artifactId', 'string'],
  readUsage: ['GET', '/v1/usage', 'always', 'periods', 'list'],
  readUsageHistory: ['GET', '/v1/usage/history', 'always', 'days', 'list'],
  listMemoryScopes: ['GET', '/v1/memory', 'always', 'scopes', 'list'],
  readMemory: ['GET', '/v1/memory/{scopeId}', 'always', 'entries', 'list'],
  listFiles: ['GET', '/v1/host/workspace/files', 'always', 'files', 'list'],
  readFile: ['GET', '/v1/host/workspace/files/{+path}', 'always', 'path', 'string'],
  writeFile: ['PUT', '/v1/host/workspace/files/{+path}', 'never', 'path', 'string'],
  deleteFile: ['DELETE', '/v1/host/workspace/files/{+path}', 'always'],
  listSecrets: ['GET', '/v1/secrets', 'always', 'secrets', 'list'],
  putSecret: ['PUT', '/v1/secrets/{name}', 'always', 'name', 'string'],
  deleteSecret: ['DELETE', '/v1/secrets/{name}', 'always'],
  rotateSecrets: ['POST', '/v1/host/secrets:rotate', 'never', 'keyId', 'string'],
  createWebhook: ['POST', '/v1/webhooks', 'never', 'webhookId', 'string'],
  listWebhooks: ['GET', '/v1/webhooks', 'always', 'webhooks', 'list'],
  readWebhook: ['GET', '/v1/webhooks/{webhookId}', 'always', 'webhookId', 'string'],
  deleteWebhook: ['DELETE', '/v1/webhooks/{webhookId}', 'always'],
  pauseWebhook: ['POST', '/v1/webhooks/{webhookId}:pause', 'always', 'webhookId', 'string'],
  resumeWebhook: ['POST', '/v1/webhooks/{webhookId}:resume', 'always', 'webhookId', 'string'],
  rotateWebhook: ['POST', '/v1/webhooks/{webhookId}:rotate', 'never', 'webhookId', 'string'],
  pingWebhook: ['POST', '/v1/webhooks/{webhookId}:ping', 'never', 'deliveryId', 'string'],
  listDeliveries: ['GET', '/v1/webhooks/{webhookId}/deliveries', 'always', 'deliveries', 'list'],
  listDeadLetters: ['GET', '/v1/webhooks/{webhookId}/dead-letters', 'always', 'deadLetters', 'list'],
  redeliver: ['POST', '/v1/webhooks/{webhookId}/dead-letters:redeliver', 'always', 'redelivered', 'number'],
  readEvents: ['GET', '/v1/runs/{runId}/events', 'always', 'events', 'list'],
  readTreeEvents: ['GET', '/v1/runs/{runId}/tree/events', 'always'],
  pollEvents: ['GET', '/v1/runs/{runId}/events/poll', 'always', 'events', 'list'],
  listInterrupts: ['GET', '/v1/interrupts', 'always', 'interrupts', 'list'],
  answerInterrupt: ['POST', '/v1/runs/{runId}/interrupts/{nodeId}', 'with-key', 'runId', 'string'],
  readInterruptLink: ['GET', '/v1/interrupts/{token}', 'always', 'runId', 'string'],
  answerInterruptLink: ['POST', '/v1/interrupts/{token}', 'with-key', 'runId', 'string'],
  verifyAudit: ['GET', '/v1/audit/verify', 'always'],
  readAuditKey: ['GET', '/v1/audit/key', 'always', 'keyId', 'string'],
  readAgentCard: ['GET', '/.well-known/agent-card.json', 'always', 'name', 'string'],
} as const satisfies { readonly [O in OperationName]?: RouteOf<O> };

/** An operation that the client calls. */
export type CalledOperation = keyof typeof ROUTES;

export function isAnswerOf(operation: CalledOperation, answer: unknown): boolean {
  const [, , , member, kind]: readonly string[] = ROUTES[operation];
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return false;
  return member === undefined || kindOf((answer as Record<string, unknown>)[member]) === kind;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}
