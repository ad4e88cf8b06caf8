/** The name of a capability that a route also looks at. */
export const ANCESTRY_ENDPOINT = 'multiAgent.executionModel.crossHostCausation.ancestryEndpointSupported';

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
