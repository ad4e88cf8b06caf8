import type { HostLimits } from '@baton/engine';
import type { CapabilityDocument } from '@baton/protocol';
import { ANCESTRY_ENDPOINT, type CapabilityOverlay } from './overlay.ts';

interface ExecutionModelParts {
  readonly overlay: Pick<CapabilityOverlay, 'value'>;
  readonly hostId: string;
  readonly limits: Pick<HostLimits, 'confidenceFloor' | 'transcriptWindow'>;
}

/** Which versions of the execution model the host keeps to. Version 6 claims all of those before it. */
export function executionModel({
  overlay,
  hostId,
  limits: { confidenceFloor, transcriptWindow },
}: ExecutionModelParts): CapabilityDocument['multiAgent']['executionModel'] {
  return {
    supported: overlay.value('multiAgent.executionModel') ?? true,
    version: 6,
    // Since version 2.
    confidenceEscalationFloor: confidenceFloor,
    confidenceEscalationInterruptKind: 'approval',
    crossChildMemoryConcurrency: 'strict',
    // Since version 3.
    crossHostCausation: {
      supported: true,
      hostId,
      ancestryEndpointSupported: overlay.value(ANCESTRY_ENDPOINT) ?? true,
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
