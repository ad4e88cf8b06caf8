import { A2A_CONTRACTS } from './across-hosts/a2a.ts';
import { HANDOFF_CONTRACTS } from './across-hosts/handoffs.ts';
import { MCP_CONTRACTS } from './across-hosts/mcp.ts';
import { PEER_CONTRACTS } from './across-hosts/peers.ts';
import { AGENT_CONTRACTS, MODEL_CONTRACTS } from './agents.ts';
import { AUDIT_CONTRACTS } from './audit.ts';
import { EVENT_CONTRACTS } from './events.ts';
import { DISCOVERY_CONTRACTS, HOST_CONTRACTS } from './host.ts';
import { INTERRUPT_CONTRACTS } from './interrupts.ts';
import { MEMORY_CONTRACTS, WORKSPACE_CONTRACTS } from './memory.ts';
import { OPERATION_CONTRACTS } from './operations.ts';
import { RUN_HISTORY_CONTRACTS } from './run-history.ts';
import { RUN_CONTRACTS, RUN_LIST_CONTRACTS } from './runs.ts';
import { SECRET_CONTRACTS } from './secrets.ts';
import { SESSION_CONTRACTS } from './sessions.ts';
import { USAGE_CONTRACTS } from './usage.ts';
import { WEBHOOK_CONTRACTS } from './webhooks.ts';
import { WORKFLOW_CONTRACTS } from './workflows.ts';

/** Every route of a host except the seams, by the name of its operation. */
export const CONTRACTS = {
  ...DISCOVERY_CONTRACTS,
  ...SESSION_CONTRACTS,
  ...OPERATION_CONTRACTS,
  ...HOST_CONTRACTS,
  ...PEER_CONTRACTS,
  ...WORKFLOW_CONTRACTS,
  ...MODEL_CONTRACTS,
  ...AGENT_CONTRACTS,
  ...RUN_CONTRACTS,
  ...RUN_LIST_CONTRACTS,
  ...RUN_HISTORY_CONTRACTS,
  ...USAGE_CONTRACTS,
  ...MEMORY_CONTRACTS,
  ...WORKSPACE_CONTRACTS,
  ...SECRET_CONTRACTS,
  ...WEBHOOK_CONTRACTS,
  ...EVENT_CONTRACTS,
  ...INTERRUPT_CONTRACTS,
  ...AUDIT_CONTRACTS,
  ...HANDOFF_CONTRACTS,
  ...A2A_CONTRACTS,
  ...MCP_CONTRACTS,
} as const;

export type OperationName = keyof typeof CONTRACTS;
