import { type OpenVault, withUnsealedRequests } from '@baton/engine';
import {
  type Effects,
  MODEL_CALL,
  type ModelAnswerReads,
  PREPARE,
  TOOL_CALL,
  type WorkflowReads,
} from '@baton/engine/ports';
import { type AgentShelf, agentShelf } from '../agents/agent-shelf.ts';
import { preparing } from '../agents/prepare.ts';
import { toolCalls } from '../agents/tool-calls.ts';
import { type Performer, performEffects } from '../effects.ts';
import { createMockProvider, type MockProvider } from '../models/mock.ts';
import { modelCalls } from '../models/model-calls.ts';
import type { Metrics } from '../operations/metrics.ts';
import type { Later } from '../progress/coalesced.ts';
import type { LiveChunks } from '../progress/live-chunks.ts';
import { withToldProgress } from '../progress/told-progress.ts';
import type { HostSettings } from '../settings.ts';
import { type HostAgents, withMock } from './host-agents.ts';

/** The effects that a host performs, and the models that it asks. */
interface HostEffects {
  readonly effects: Effects;
  readonly mock: MockProvider;
  /**
   * Sets the store in which earlier answers of models and agents are found. Effects that a crash left open are
   * performed after that.
   */
  readFrom(reads: ModelAnswerReads & WorkflowReads): void;
}

interface HostEffectsOptions extends HostAgents {
  readonly settings: Pick<HostSettings, 'modelCache'>;
  readonly vault: OpenVault;
  readonly metrics: Metrics;
  readonly live: LiveChunks;
  /** Further kinds of effects. */
  readonly more?: Readonly<Record<string, Performer>> | undefined;
}

export function hostEffects(options: HostEffectsOptions): HostEffects {
  const { settings, vault, metrics, live, more, models, tools } = options;
  const mock = createMockProvider();
  let answers: (ModelAnswerReads & WorkflowReads) | undefined;
  let agents: AgentShelf | undefined;
  const reuse = settings.modelCache === 'tenant';
  const performers = {
    ...more,
    [MODEL_CALL]: modelCalls(withMock(models, mock), {
      costOf: models.costOf,
      ...(reuse && { kept: async (tenant: string, key: string) => answers?.modelAnswer(tenant, key) }),
    }),
    [PREPARE]: preparing({ agents: () => agents, models, tools }),
    [TOOL_CALL]: toolCalls(tools, () => performance.now()),
  };
  const performed = performEffects(performers, (kind) => metrics.effectsPerformed.inc({ kind }));
  const unsealing = withUnsealedRequests(performed, vault);
  return {
    effects: withToldProgress(unsealing, { live, vault, later }),
    mock,
    readFrom(reads) {
      answers = reads;
      agents = agentShelf(reads);
    },
  };
}

const later: Later = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};
