import {
  type ConnectedModels,
  type ConnectedTools,
  connectModels,
  connectTools,
  type LaunchModelThread,
  NO_TOOLS,
  readModels,
  realLater,
  threadedVendors,
} from '@baton/agents';
import type { OpenVault } from '@baton/engine';
import type { Models } from '@baton/engine/ports';
import type { Logger } from 'pino';
import type { MockProvider } from '../models/mock.ts';
import type { HostSettings } from '../settings.ts';

/** The models and tools of a host. */
export interface HostAgents {
  readonly models: ConnectedModels;
  readonly tools: ConnectedTools;
}

interface HostAgentsParts {
  readonly vault: Pick<OpenVault, 'secret'>;
  readonly log: Logger;
  /** Adds tools to those of the settings. */
  readonly withTools?: ((tools: ConnectedTools) => ConnectedTools) | undefined;
  readonly launchModels?: LaunchModelThread | undefined;
}

export function hostAgents(
  { models, tools }: Pick<HostSettings, 'models' | 'tools'>,
  { vault, log, withTools = (connected) => connected, launchModels }: HostAgentsParts,
): HostAgents {
  const secretOf = (tenant: string, name: string) => vault.secret(tenant, name);
  return {
    models: connectModels(models ?? withoutProviders(), {
      secretOf: async (tenant, name) => secretOf(tenant, name),
      now: Date.now,
      later: realLater,
      vendors: threadedVendors({
        launch: launchModels,
        onLost: (error, calls) =>
          log.error({ err: error, calls }, 'the model thread stopped; the next call starts it again'),
      }),
    }),
    tools: withTools(connectTools(tools ?? NO_TOOLS, { secretOf, log })),
  };
}

/** The models of a host for which nothing is configured: every class is scripted. */
function withoutProviders() {
  const reading = readModels({ variable: () => undefined });
  if ('problems' in reading) throw new Error(reading.problems.join('\n'));
  return reading.config;
}

/** Conformance suites program the provider `mock`, which no agent uses by itself. */
export function withMock(models: Models, mock: MockProvider): Models {
  return { provider: (id) => (id === 'mock' ? mock : models.provider(id)) };
}
