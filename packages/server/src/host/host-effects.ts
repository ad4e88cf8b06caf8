import { type OpenVault, withUnsealedRequests } from '@baton/engine';
import type { Effects, ModelAnswerReads, Models } from '@baton/engine/ports';
import { type Performer, performEffects } from '../effects.ts';
import { createMockProvider, type MockProvider } from '../models/mock.ts';
import { modelCalls } from '../models/model-calls.ts';
import type { Metrics } from '../operations/metrics.ts';
import type { Later } from '../progress/coalesced.ts';
import type { LiveChunks } from '../progress/live-chunks.ts';
import { withToldProgress } from '../progress/told-progress.ts';
import type { HostSettings } from '../settings.ts';

/** The effects that a host performs, and the models that it asks. */
interface HostEffects {
  readonly effects: Effects;
  readonly mock: MockProvider;
  /**
   * Sets the store in which earlier answers of models are found. Effects that a crash left open are performed
   * before the store can be read: their models are asked again.
   */
  reuseAnswersOf(answers: ModelAnswerReads): void;
}

interface HostEffectsOptions extends Pick<HostSettings, 'modelCache'> {
  readonly vault: OpenVault;
  readonly metrics: Metrics;
  readonly live: LiveChunks;
  /** Further kinds of effects. */
  readonly more?: Readonly<Record<string, Performer>> | undefined;
}

export function hostEffects({ modelCache, vault, metrics, live, more }: HostEffectsOptions): HostEffects {
  const mock = createMockProvider();
  const models: Models = { provider: (id) => (id === 'mock' ? mock : undefined) };
  let answers: ModelAnswerReads | undefined;
  const reuse = modelCache === 'tenant';
  const performers = {
    ...more,
    'model.call': modelCalls(
      models,
      reuse ? async (tenant, key) => answers?.modelAnswer(tenant, key) : undefined,
    ),
  };
  const performed = performEffects(performers, (kind) => metrics.effectsPerformed.inc({ kind }));
  const unsealing = withUnsealedRequests(performed, vault);
  return {
    effects: withToldProgress(unsealing, { live, vault, later }),
    mock,
    reuseAnswersOf(reads) {
      answers = reads;
    },
  };
}

const later: Later = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};
