import { type Later, type ScriptEntry, scriptedProvider } from '@baton/agents';
import type { ModelProvider, Models } from '@baton/engine/ports';
import type { Json } from '@baton/protocol';

/** The answers of the model, by the id of the agent or of the node that asks. */
export type Scripts = Readonly<Record<string, readonly ScriptEntry[]>>;

/** Where the scripted provider looks for the script of a request. */
const SCRIPT = 'vendor.scripted.script';

/**
 * Every provider is the scripted one, so no test reaches a vendor. A script for a node comes before the script in the
 * request, which is that of the agent.
 */
export function scriptedModels(scripts: Scripts, later: Later): Models {
  const scripted = scriptedProvider(later);
  const provider: ModelProvider = {
    reexecutable: true,
    ask(call) {
      const own = Object.hasOwn(scripts, call.nodeId) ? scripts[call.nodeId] : undefined;
      if (own === undefined) return scripted.ask(call);
      const providerOptions = { ...call.request.providerOptions, [SCRIPT]: own as unknown as Json };
      return scripted.ask({ ...call, request: { ...call.request, providerOptions } });
    },
  };
  return { provider: () => provider };
}
