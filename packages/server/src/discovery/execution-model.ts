import type { HostLimits } from '@baton/engine';
import type { CapabilityDocument } from '@baton/protocol';

/** The name of a capability that a route also looks at. */
export const ANCESTRY_ENDPOINT = 'multiAgent.executionModel.crossHostCausation.ancestryEndpointSupported';

interface ExecutionModelParts {
  readonly isOn: (capability: string) => boolean;
  readonly hostId: string;
  readonly limits: Pick<HostLimits, 'confidenceFloor' | 'transcriptWindow'>;
}

/** Which versions of the execution model the host keeps to. Version 6 claims all of those before it. */
export function executionModel({
  isOn,
  hostId,
  limits: { confidenceFloor, transcriptWindow },
}: ExecutionModelParts): CapabilityDocument['multiAgent']['executionModel'] {
  return {
    supported: isOn('multiAgent.executionModel'),
    version: 6,
    // Since version 2.
    confidenceEscalationFloor: confidenceFloor,
    confidenceEscalationInterruptKind: 'approval',
    crossChildMemoryConcurrency: 'strict',
    // Since version 3.
    crossHostCausation: {
      supported: true,
      hostId,
      ancestryEndpointSupported: isOn(ANCESTRY_ENDPOINT),
    },
    // Since version 4.
    replayDeterminism: {
      supported: true,
      llmCacheKeyRecipe: 'spec-rfc-0041',
      refusalDivergenceEmission: true,
    },
    // Since version 5.
    statefulResume: true,
    transcriptWindow,
    // Since version 6.
    verifier: { supported: true, gating: true },
  };
}
