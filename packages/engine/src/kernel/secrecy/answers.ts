import { isJsonObject, type Json, type JsonObject } from '@baton/protocol';
import { decidedIn } from '../fold/evolve-interrupts.ts';
import { effectiveMapping } from '../handoff/mapping.ts';
import { handoffOf, type OpenInterrupt } from '../run.ts';
import { type WorkingRun, workingChild } from '../working-run.ts';
import { reseal } from './resealing.ts';
import { unhide } from './sealed.ts';
import { sealFor, sealMembers, sealOnce, sensitivePorts } from './sensitivity.ts';

/** Prepares answers of people and other systems: puts hidden values back, and seals sensitive values. */

/** Placeholders in an edit are replaced by the original values. */
export function unhideEdit({ request }: OpenInterrupt, value: JsonObject): JsonObject {
  const { editedArtifactData: edited } = value;
  if (request.kind !== 'approval' || edited === undefined) return value;
  return { ...value, editedArtifactData: unhide(edited, request.data.artifactData) };
}

/** The answer as it is recorded. It was checked before it was sealed. */
export function recordable(working: WorkingRun, open: OpenInterrupt, value: JsonObject): JsonObject {
  const { nodeId } = open;
  const sealed = sealEdit(working, nodeId, sealPorts(working, nodeId, resealEdit(working, open, value)));
  return working.tree.world.redactor(working.run.tenant)?.redactJson(sealed) ?? sealed;
}

/** A value that an editor typed in the place of a sealed value is sealed too. */
function resealEdit(working: WorkingRun, { request }: OpenInterrupt, value: JsonObject): JsonObject {
  const { editedArtifactData: edited } = value;
  if (request.kind !== 'approval' || edited === undefined) return value;
  const seal = sealFor(working.tree.world, working.run.tenant);
  return { ...value, editedArtifactData: reseal(edited, request.data.artifactData, seal) };
}

/** These are recorded as objects, so each of their members is sealed separately. */
const OBJECTS = new Set(['answers', 'refineFeedback']);

/**
 * Seals the parts of an answer that become sensitive outputs of the node. An edit becomes the output
 * `artifact`. The values that settle the question stay readable: the action, and a person's replacement of a
 * supervisor's decision. An edit of a worker's outputs stays an object, because the merge reads its members.
 */
function sealPorts(working: WorkingRun, nodeId: string, value: JsonObject): JsonObject {
  const { sensitivity } = working.plan;
  if (sensitivity === undefined) return value;
  const ports = sensitivePorts(sensitivity, nodeId);
  const seal = sealFor(working.tree.world, working.run.tenant);
  const isDecision = decidedIn(working.run, nodeId) !== undefined;
  const isMerge = handoffOf(working.run, nodeId) !== undefined;
  const sealMember = (name: string, member: Json): Json => {
    const isEdit = name === 'editedArtifactData';
    const port = isEdit ? 'artifact' : name;
    if (!ports.has(port) || name === 'action' || (isEdit && isDecision)) return member;
    const isObject = OBJECTS.has(name) || (isEdit && isMerge);
    return isObject ? sealMembers('all', seal, member) : sealOnce(seal, port, member);
  };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sealMember(name, member)]));
}

/** An edit of a child's outputs is as sensitive as these outputs, and as the variables it is merged into. */
function sealEdit(working: WorkingRun, nodeId: string, value: JsonObject): JsonObject {
  const { editedArtifactData: edited } = value;
  const handoff = handoffOf(working.run, nodeId);
  if (handoff?.childRunId === undefined || !isJsonObject(edited)) return value;
  const names = new Set(workingChild(working, handoff.childRunId)?.plan.sensitivity?.variables);
  const config = working.plan.nodes.get(nodeId)?.config ?? {};
  const mapping = effectiveMapping(config, 'output', handoff.workerId);
  for (const [name, childName] of Object.entries(mapping)) {
    if (working.plan.sensitivity?.variables.has(name)) names.add(childName);
  }
  return names.size === 0
    ? value
    : {
        ...value,
        editedArtifactData: sealMembers(names, sealFor(working.tree.world, working.run.tenant), edited),
      };
}
