import type { Tools } from '@baton/engine/ports';
import { type Agent, isJsonObject, type Json } from '@baton/protocol';

/** The tools and capabilities that an agent asks for and that this host cannot give it now. */
export async function degradedFor(
  agent: Agent,
  tenant: string,
  tools: Pick<Tools, 'surface'>,
  capabilities: Json,
): Promise<readonly string[]> {
  const missing = (agent.requiresCapabilities ?? []).filter((name) => !provides(capabilities, name));
  const { degraded } = await tools.surface(tenant, agent.toolAllowlist ?? []);
  return [...missing, ...degraded];
}

/** `host.workspace` and `workspace.supported` both name the capability `workspace`. */
function provides(capabilities: Json, name: string): boolean {
  let at: Json | undefined = capabilities;
  for (const part of name.replace(/^host\./, '').split('.')) {
    at = isJsonObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  }
  if (isJsonObject(at)) return at.supported !== false;
  return at !== undefined && at !== false;
}
