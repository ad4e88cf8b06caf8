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
import type { Logger } from 'pino';
import type { HostSettings } from '../settings.ts';
import type { HostExtension } from './host-extension.ts';

/** The models and tools of a host. */
export interface HostAgents {
  readonly models: ConnectedModels;
  readonly tools: ConnectedTools;
}

interface HostAgentsParts {
  readonly vault: Pick<OpenVault, 'secret'>;
  readonly log: Logger;
  /** Adds models and tools to those of the settings. */
  readonly extension: Pick<HostExtension, 'withModels' | 'withTools'> | undefined;
  readonly launchModels?: LaunchModelThread | undefined;
}

export function hostAgents(
  { models, tools, testSeams }: Pick<HostSettings, 'models' | 'tools' | 'testSeams'>,
  { vault, log, extension, launchModels }: HostAgentsParts,
): HostAgents {
  const secretOf = (tenant: string, name: string) => vault.secret(tenant, name);
  const connected = {
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
    tools: connectTools(tools ?? NO_TOOLS, { secretOf, log }),
  };
  if (extension === undefined) return connected;
  return {
    models: extension.withModels(connected.models),
    tools: testSeams ? extension.withTools(connected.tools) : connected.tools,
  };
}

/** The models of a host for which nothing is configured: every class is scripted. */
function withoutProviders() {
  const reading = readModels({ variable: () => undefined });
  if ('problems' in reading) throw new Error(reading.problems.join('\n'));
  return reading.config;
}
