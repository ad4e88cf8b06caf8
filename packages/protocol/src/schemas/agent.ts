import Type from 'typebox';
import { Ordinal } from './numbers.ts';
import { Any, Bag, closed } from './parts.ts';
import { ToolVerifiers, Verifier } from './verifier.ts';
import { MAX_WAIT_MS } from './workflow.ts';

/** Agents: the manifest that an author writes, and the agent that the host makes of it. */

/** Without `host:`, which the protocol reserves for agents that are not published. */
export const AGENT_ID_PATTERN =
  '^(core|vendor|community|private|local)\\.[a-z][a-z0-9_-]*(\\.[a-z][a-zA-Z0-9_-]*)+$';

export const MODEL_CLASSES = [
  'reasoning',
  'writing',
  'coding',
  'research',
  'classification',
  'general',
] as const;
export type ModelClass = (typeof MODEL_CLASSES)[number];

/** How much of its conversation an agent passes on when it hands its work to another agent. */
export const HISTORY_POLICIES = ['none', 'summary', 'full'] as const;
export type HistoryPolicy = (typeof HISTORY_POLICIES)[number];

const MemoryShape = Type.Object(
  {
    scratchpad: Type.Optional(Type.Boolean()),
    conversation: Type.Optional(Type.Boolean()),
    longTerm: Type.Optional(Type.Boolean()),
  },
  closed,
);

/** The periods of the budget of a tenant. They begin at midnight, in UTC. */
export const BUDGET_PERIODS = ['day', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/**
 * The limits of what a run with its descendants, or an agent in one run, may use. The budget of an agent counts all
 * calls of this agent in the run, over all nodes, turns and attempts.
 */
export const Budget = Type.Object(
  {
    maxTokens: Type.Optional(Ordinal),
    maxCostUsd: Type.Optional(Type.Number({ minimum: 0 })),
    maxToolCalls: Type.Optional(Ordinal),
    /** Each of the limits above is reported once when this much of it is used. 80 if not set. */
    thresholdPercent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
    /** What happens when a limit is reached. This host knows one way: the run fails. */
    onExhaustion: Type.Optional(Type.Literal('fail')),
    /** How often an agent may make the same call of a tool, with the same arguments, one after the other. */
    maxEqualCalls: Type.Optional(Ordinal),
    /** Models that may be used. `*` stands for any characters. */
    modelAllow: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 100 })),
    modelDeny: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 100 })),
  },
  closed,
);
export type Budget = Type.Static<typeof Budget>;

const Handoff = Type.Object(
  {
    agentId: Type.String({ pattern: AGENT_ID_PATTERN, maxLength: 256 }),
    history: Type.Optional(Type.Unsafe<HistoryPolicy>({ enum: [...HISTORY_POLICIES] })),
  },
  closed,
);

/** Settings that only this host reads. */
const HOST_SETTINGS = {
  /** A model as `provider/model`, in place of the model of the class. */
  model: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9._-]*/.+$', maxLength: 320 })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  maxOutputTokens: Type.Optional(Ordinal),
  /** How often the model may be asked with tools. After the last of these rounds it has to answer. */
  maxToolRounds: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
  /** Attempts to get a result that fits the return schema. */
  attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  budget: Type.Optional(Budget),
  /**
   * How long a person has to answer a question of the agent. After that, a tool call counts as declined, and a result
   * that the agent is not sure of is not used.
   */
  approvalTimeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WAIT_MS })),
  /** Agents that this agent can hand its work to. */
  handoffs: Type.Optional(Type.Array(Handoff, { maxItems: 20 })),
  /** The critic of the results of this agent, and the critics of what its tools return. */
  verifier: Type.Optional(Verifier),
  toolVerifiers: Type.Optional(ToolVerifiers),
  /** The answers of the `scripted` provider, one for each model call. */
  script: Type.Optional(Type.Array(Any, { maxItems: 200 })),
} as const;

const DESCRIPTION = {
  agentId: Type.String({ pattern: AGENT_ID_PATTERN, minLength: 3, maxLength: 256 }),
  persona: Type.String({ minLength: 1, maxLength: 200 }),
  modelClass: Type.String({ minLength: 1, maxLength: 64 }),
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  toolAllowlist: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 200 })),
  requiresCapabilities: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 100 }),
  ),
  memoryShape: Type.Optional(MemoryShape),
  confidence: Type.Optional(
    Type.Object({ defaultThreshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })) }, closed),
  ),
} as const;

const Path = Type.String({ minLength: 1, maxLength: 512 });

/** As in the packs of the protocol, plus `baton`, which holds the settings of this host. */
export const AgentManifest = Type.Object(
  {
    ...DESCRIPTION,
    systemPrompt: Type.Optional(Type.String({ minLength: 1, maxLength: 65_536 })),
    systemPromptRef: Type.Optional(Path),
    evalSuiteRef: Type.Optional(Path),
    handoff: Type.Optional(
      Type.Object({ taskSchemaRef: Type.Optional(Path), returnSchemaRef: Type.Optional(Path) }, closed),
    ),
    promptLibraryRef: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    promptOverrides: Type.Optional(Bag),
    baton: Type.Optional(
      Type.Object(
        {
          ...HOST_SETTINGS,
          packName: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
          packVersion: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type AgentManifest = Type.Static<typeof AgentManifest>;

/** A manifest with the files that it refers to: prompts as text, schemas as JSON. */
export const AgentPackage = Type.Object(
  {
    manifest: AgentManifest,
    files: Type.Optional(Type.Record(Path, Any)),
  },
  closed,
);
export type AgentPackage = Type.Static<typeof AgentPackage>;

/** An agent as it is stored and run: the manifest with the texts that its references name. */
export const Agent = Type.Object(
  {
    ...DESCRIPTION,
    ...HOST_SETTINGS,
    systemPrompt: Type.String({ minLength: 1, maxLength: 65_536 }),
    /** The name of the prompt in events, and which layer of the manifest it came from. */
    promptSource: Type.String({ minLength: 1, maxLength: 512 }),
    promptLayer: Type.Unsafe<'agent-intrinsic' | 'agent-overrides' | 'agent-library-default'>({
      enum: ['agent-intrinsic', 'agent-overrides', 'agent-library-default'],
    }),
    taskSchema: Type.Optional(Bag),
    returnSchema: Type.Optional(Bag),
    packName: Type.String({ minLength: 1, maxLength: 256 }),
    packVersion: Type.String({ minLength: 1, maxLength: 64 }),
  },
  closed,
);
export type Agent = Type.Static<typeof Agent>;

/** The workflow that runs an agent. No author can register a workflow with such an id. */
const AGENT_WORKFLOW = 'agent:';

export function agentWorkflowId(agentId: string): string {
  return `${AGENT_WORKFLOW}${agentId}`;
}

/** The agent whose workflow this is. */
export function agentOfWorkflow(workflowId: string): string | undefined {
  return workflowId.startsWith(AGENT_WORKFLOW) ? workflowId.slice(AGENT_WORKFLOW.length) : undefined;
}

const AGENT_ID = new RegExp(AGENT_ID_PATTERN);

/** Workers and critics are workflows or agents. An id with dots is the id of an agent. */
export function workflowOfWorker(workerId: string): string {
  return AGENT_ID.test(workerId) ? agentWorkflowId(workerId) : workerId;
}
