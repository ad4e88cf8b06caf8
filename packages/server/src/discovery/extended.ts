import type { StoreReads } from '@baton/engine/ports';
import type { CapabilityDocument } from '@baton/protocol';

/** What an extension changes of what a host says of itself. */
export interface ExtendedDiscovery {
  /** Whether the host has a capability that it would have without the extension. */
  isOn(capability: string): boolean;
  /** Grows when a capability is switched. */
  revision(): number;
  /** The document of a host with `testSeams`. */
  described(document: CapabilityDocument, reads: StoreReads): Promise<CapabilityDocument>;
}
