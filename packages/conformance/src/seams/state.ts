import type { HostContext } from '@baton/server/extension';
import type { FastifyInstance } from 'fastify';
import type { MockModel } from './mock-model.ts';

/** What suites have set up on a host. */
interface SeamState {
  readonly overlay: CapabilityOverlay;
  readonly mock: MockModel;
}

/** Adds a seam that has a state. */
export type SeamRoutes = (app: FastifyInstance, host: HostContext, state: SeamState) => void;

/** Capabilities that a conformance suite has switched off or on temporarily, by their dotted names. */
export interface CapabilityOverlay {
  value(name: string): boolean | undefined;
  names(): readonly string[];
  replace(overlay: Readonly<Record<string, boolean>>): void;
  /** Grows with every change. */
  revision(): number;
}

export function createOverlay(): CapabilityOverlay {
  let current: ReadonlyMap<string, boolean> = new Map();
  let revision = 0;
  return {
    value: (name) => current.get(name),
    names: () => [...current.keys()],
    replace(overlay) {
      current = new Map(Object.entries(overlay));
      revision += 1;
    },
    revision: () => revision,
  };
}
