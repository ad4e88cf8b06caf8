import {
  Agent,
  type AgentManifest,
  AgentPackage,
  BatonError,
  brokenSchema,
  haveToolInCommon,
  invalid,
  isJsonObject,
  type Json,
  type JsonObject,
  problemWith,
} from '@baton/protocol';

/** Makes an agent of a manifest and its files, or refuses them with the field to change. */
export function resolveAgent(given: unknown): Agent {
  const problem = problemWith(AgentPackage, given);
  if (problem) throw invalid('agent', problem);
  const { manifest, files = {} } = given as AgentPackage;
  const prompt = promptOf(manifest, files);
  const { baton = {}, handoff = {}, ...rest } = manifest;
  const { packName, packVersion, ...settings } = baton;
  const {
    systemPrompt: _text,
    systemPromptRef: _ref,
    evalSuiteRef: _suite,
    promptLibraryRef: _library,
    promptOverrides: _overrides,
    ...described
  } = rest;
  const taskSchema = schemaOf('taskSchemaRef', handoff.taskSchemaRef, files);
  const returnSchema = schemaOf('returnSchemaRef', handoff.returnSchemaRef, files);
  const agent: Agent = {
    ...described,
    ...settings,
    ...prompt,
    ...(taskSchema && { taskSchema }),
    ...(returnSchema && { returnSchema }),
    packName: packName ?? manifest.agentId.split('.').slice(0, -1).join('.'),
    packVersion: packVersion ?? '1.0.0',
  };
  const broken = problemWith(Agent, agent);
  if (broken) throw invalid('agent', broken);
  refuseCritics(agent);
  return agent;
}

/** Critics that would never be asked, or that would let everything through unjudged, are refused. */
function refuseCritics({ agentId, verifier, toolVerifiers = {}, toolAllowlist = [], handoffs = [] }: Agent) {
  const field = 'manifest.baton.verifier';
  if (verifier?.workflowId === agentId)
    refuse(`${field}.workflowId`, 'is the agent itself; name another agent, or a workflow');
  if (verifier !== undefined && handoffs.length > 0)
    refuse(
      field,
      'must not be there beside handoffs, because the results of other agents would not be judged; leave one of them out',
    );
  for (const [tools, { workflowId }] of Object.entries(toolVerifiers)) {
    const where = `manifest.baton.toolVerifiers.${tools}`;
    if (workflowId === agentId) refuse(where, 'names the agent itself; name another agent, or a workflow');
    if (!toolAllowlist.some((allowed) => haveToolInCommon(tools, allowed)))
      refuse(where, 'stands for no tool of toolAllowlist; correct the name, or allow the tool');
  }
}

type Files = NonNullable<AgentPackage['files']>;
type Prompt = Pick<Agent, 'systemPrompt' | 'promptSource' | 'promptLayer'>;

/** The prompt of the manifest itself comes first, then its overrides, then its library. */
function promptOf(manifest: AgentManifest, files: Files): Prompt {
  const { agentId, systemPrompt, systemPromptRef, promptOverrides = {}, promptLibraryRef } = manifest;
  if (systemPrompt !== undefined && systemPromptRef !== undefined) {
    refuse('manifest.systemPromptRef', 'must not be there beside systemPrompt; leave one of them out');
  }
  const own = `prompt:${agentId.toLowerCase()}`;
  if (systemPrompt !== undefined) return { systemPrompt, promptSource: own, promptLayer: 'agent-intrinsic' };
  if (systemPromptRef !== undefined) {
    const text = textOf(files, [systemPromptRef]);
    if (text === undefined)
      refuse('manifest.systemPromptRef', `names no file with text: "${systemPromptRef}"`);
    return { systemPrompt: text, promptSource: own, promptLayer: 'agent-intrinsic' };
  }
  const override = referenceOf(promptOverrides.system);
  const chosen = override && textOf(files, pathsOf(override));
  if (override && chosen !== undefined) {
    return { systemPrompt: chosen, promptSource: `prompt:${override}`, promptLayer: 'agent-overrides' };
  }
  const shared =
    promptLibraryRef &&
    textOf(files, [...pathsOf(promptLibraryRef), `prompts/${promptLibraryRef}/system.md`]);
  if (promptLibraryRef && shared !== undefined) {
    return {
      systemPrompt: shared as string,
      promptSource: `prompt:${promptLibraryRef}`,
      promptLayer: 'agent-library-default',
    };
  }
  return refuse(
    'manifest.systemPrompt',
    'is missing: write the prompt there, or name its file in systemPromptRef',
  );
}

/** The id of the template that a reference names, without its version. */
function referenceOf(reference: Json | undefined): string | undefined {
  const named = isJsonObject(reference) ? reference.templateId : reference;
  if (typeof named !== 'string') return undefined;
  return named.replace(/^prompt:/, '').replace(/@.*$/, '');
}

function pathsOf(templateId: string): readonly string[] {
  return [`prompts/${templateId}.md`, `prompts/${templateId}.txt`, `prompts/${templateId}.json`];
}

/** A prompt is a text, or a template with a text. */
function textOf(files: Files, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const file = Object.hasOwn(files, path) ? files[path] : undefined;
    const text = isJsonObject(file) ? file.text : file;
    if (typeof text === 'string' && text !== '') return text;
  }
  return undefined;
}

function schemaOf(field: string, path: string | undefined, files: Files): JsonObject | undefined {
  if (path === undefined) return undefined;
  const file = Object.hasOwn(files, path) ? files[path] : undefined;
  const schema = typeof file === 'string' ? parsed(file) : file;
  if (!isJsonObject(schema))
    refuse(`manifest.handoff.${field}`, `names no file with a JSON Schema: "${path}"`);
  const broken = brokenSchema(schema);
  if (broken !== undefined) refuse(`manifest.handoff.${field}`, `is not a usable schema: ${broken}`);
  return schema;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function refuse(field: string, problem: string): never {
  throw new BatonError('validation_error', `agent: ${field} ${problem}`, { field });
}
