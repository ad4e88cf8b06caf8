import type { Routes } from '@baton/server/extension';
import { agentLoopSeam } from './agent-loop.ts';
import { approvalGateSeam } from './approval-gate.ts';
import { attestSeam } from './attest-subrun.ts';
import { authorizationSeam } from './authorization.ts';
import { eventLogSeam } from './event-log.ts';
import { liveAgentSeams } from './live-agents.ts';
import { llmCacheKeySeam } from './llm-cache-key.ts';
import { looseWorkflowSeam } from './loose-workflow.ts';
import { mockAiSeam } from './mock-ai.ts';
import type { SeamRoutes } from './state.ts';
import { toggleSeams } from './toggles.ts';
import { variablesSeam } from './variables.ts';
import { verifySeam } from './verify-run.ts';
import { workspaceSeam } from './workspace-op.ts';

/**
 * Endpoints that conformance suites drive. They reach into a running host, so they exist only when the
 * operator has asked for them, and even then a key is needed.
 */
export function seamRoutes(state: Parameters<SeamRoutes>[2]): Routes {
  return (app, host) => {
    toggleSeams(app, host, state);
    mockAiSeam(app, host, state);
    looseWorkflowSeam(app, host);
    variablesSeam(app, host);
    eventLogSeam(app, host);
    authorizationSeam(app, host);
    approvalGateSeam(app, host);
    attestSeam(app, host);
    verifySeam(app, host);
    liveAgentSeams(app, host);
    agentLoopSeam(app, host);
    llmCacheKeySeam(app, host);
    workspaceSeam(app, host);
  };
}
