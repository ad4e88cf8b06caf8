import type { Answer } from './contract-types.ts';
import type { CalledOperation } from './routes.ts';

/**
 * By what an answer is recognised as that of a Baton host: a member that it always has, and its kind. Other servers
 * answer with JSON, too. Example: `{}` is no list of runs.
 */

type Kind = 'string' | 'number' | 'boolean' | 'list' | 'object';

const PROOFS = {
  discover: ['protocolVersion', 'string'],
  describeApi: ['openapi', 'string'],
  createSignInCode: ['code', 'string'],
  signIn: ['tenant', 'string'],
  readSession: ['tenant', 'string'],
  readSignInWays: ['oidc', 'boolean'],
  checkHealth: ['status', 'string'],
  checkReadiness: ['status', 'string'],
  listHeldRuns: ['runs', 'list'],
  releaseHeldRun: ['runId', 'string'],
  readHost: ['version', 'string'],
  listKeys: ['keys', 'list'],
  listHosts: ['hosts', 'list'],
  listPeers: ['peers', 'list'],
  readAncestry: ['runId', 'string'],
  registerWorkflow: ['workflowId', 'string'],
  listWorkflows: ['workflows', 'list'],
  readWorkflow: ['nodes', 'list'],
  listWorkflowVersions: ['versions', 'list'],
  validateWorkflow: ['problems', 'list'],
  listModels: ['classes', 'list'],
  registerAgent: ['agentId', 'string'],
  listAgents: ['agents', 'list'],
  readAgent: ['agentId', 'string'],
  listAgentTools: ['tools', 'list'],
  messageAgent: ['conversationId', 'string'],
  createRun: ['runId', 'string'],
  listRuns: ['runs', 'list'],
  countRuns: ['total', 'number'],
  readRun: ['runId', 'string'],
  cancelRun: ['runId', 'string'],
  pauseRun: ['runId', 'string'],
  resumeRun: ['runId', 'string'],
  bulkCancelRuns: ['results', 'list'],
  importRun: ['runId', 'string'],
  eraseRun: ['runId', 'string'],
  forkRun: ['runId', 'string'],
  retryRun: ['runId', 'string'],
  readRunState: ['runId', 'string'],
  diffRuns: ['eventDiffs', 'list'],
  exportRun: ['events', 'list'],
  readAttestations: ['attestations', 'list'],
  readArtifact: ['artifactId', 'string'],
  readUsage: ['periods', 'list'],
  readUsageHistory: ['days', 'list'],
  listMemoryScopes: ['scopes', 'list'],
  readMemory: ['entries', 'list'],
  listFiles: ['files', 'list'],
  readFile: ['path', 'string'],
  writeFile: ['path', 'string'],
  listSecrets: ['secrets', 'list'],
  putSecret: ['name', 'string'],
  rotateSecrets: ['keyId', 'string'],
  createWebhook: ['webhookId', 'string'],
  listWebhooks: ['webhooks', 'list'],
  readWebhook: ['webhookId', 'string'],
  pauseWebhook: ['webhookId', 'string'],
  resumeWebhook: ['webhookId', 'string'],
  rotateWebhook: ['webhookId', 'string'],
  pingWebhook: ['deliveryId', 'string'],
  listDeliveries: ['deliveries', 'list'],
  listDeadLetters: ['deadLetters', 'list'],
  redeliver: ['redelivered', 'number'],
  readEvents: ['events', 'list'],
  pollEvents: ['events', 'list'],
  listInterrupts: ['interrupts', 'list'],
  answerInterrupt: ['runId', 'string'],
  readInterruptLink: ['runId', 'string'],
  answerInterruptLink: ['runId', 'string'],
  readAuditKey: ['keyId', 'string'],
  readAgentCard: ['name', 'string'],
} as const satisfies { readonly [O in CalledOperation]?: readonly [member: keyof Answer<O>, kind: Kind] };

export function isAnswerOf(operation: CalledOperation, answer: unknown): boolean {
  const proof: readonly [string, Kind] | undefined = (
    PROOFS as Partial<Record<CalledOperation, readonly [string, Kind]>>
  )[operation];
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return false;
  return proof === undefined || kindOf((answer as Record<string, unknown>)[proof[0]]) === proof[1];
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}
