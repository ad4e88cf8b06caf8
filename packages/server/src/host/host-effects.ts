import {
  type AgentShelf,
  agentShelf,
  modelCalls,
  type Performer,
  performEffects,
  preparing,
  toolCalls,
} from '@baton/agents';
import { type OpenVault, withUnsealedRequests } from '@baton/engine';
import {
  MODEL_CALL,
  type ModelAnswerReads,
  PREPARE,
  type SpendingReads,
  TOOL_CALL,
  type WorkflowReads,
} from '@baton/engine/ports';
import { tenantRoom } from '../budgets/tenant-room.ts';
import { modelsWithinBudgets, toolsWithinBudgets } from '../budgets/within-budgets.ts';
import type { Metrics } from '../operations/metrics.ts';
import type { LiveChunks } from '../progress/live-chunks.ts';
import type { Later } from '../progress/told-progress.ts';
import { withToldProgress } from '../progress/told-progress.ts';
import type { HostSettings } from '../settings.ts';
import type { HostAgents } from './host-agents.ts';

type EffectReads = ModelAnswerReads & WorkflowReads & SpendingReads;

interface HostEffectsOptions extends HostAgents {
  readonly settings: Pick<HostSettings, 'modelCache' | 'tenantBudgets'>;
  readonly vault: OpenVault;
  readonly metrics: Metrics;
  readonly live: LiveChunks;
  /** Further kinds of effects. */
  readonly more?: Readonly<Record<string, Performer>> | undefined;
}

/** The effects that a host performs, and the models that it asks. */
export function hostEffects(options: HostEffectsOptions) {
  const { settings, vault, metrics, live, more, models, tools } = options;
  const { modelCache, tenantBudgets: budgets } = settings;
  let stored: EffectReads | undefined;
  let agents: AgentShelf | undefined;
  const reuse = modelCache === 'tenant';
  const room = tenantRoom({
    budgets,
    spending: (...asked) => opened(stored).spending(...asked),
    now: Date.now,
  });
  const performers = {
    ...more,
    [MODEL_CALL]: modelCalls(modelsWithinBudgets(models, room), {
      ...(reuse && { kept: async (tenant: string, key: string) => stored?.modelAnswer(tenant, key) }),
    }),
    [PREPARE]: preparing({ agents: () => agents, models, tools }),
    [TOOL_CALL]: toolsWithinBudgets(
      toolCalls(tools, () => performance.now()),
      room,
    ),
  };
  const performed = performEffects(performers, (kind) => metrics.effectsPerformed.inc({ kind }));
  const unsealing = withUnsealedRequests(performed, vault);
  return {
    effects: withToldProgress(unsealing, { live, vault, later }),
    /**
     * Sets the store in which earlier answers of models, agents and the spending of tenants are found. Effects that a
     * crash left open are performed after that.
     */
    readFrom(reads: EffectReads): void {
      stored = reads;
      agents = agentShelf(reads);
    },
  };
}

/** A host begins to perform effects after it has opened the store. */
function opened(stored: EffectReads | undefined): EffectReads {
  if (stored === undefined) throw new Error('the store is not open yet');
  return stored;
}

const later: Later = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};
