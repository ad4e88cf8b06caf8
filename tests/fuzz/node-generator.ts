import { CHANNEL_REDUCERS } from '@baton/protocol';
import { assignments, port } from './expression-generator.ts';
import type { Dice } from './random-choice.ts';

/** One node of any type but those of a supervisor's loop, with any of its settings. */

export type Config = Record<string, unknown>;

/** What a workflow may refer to. */
export interface Around {
  /** Workflows below this one; some of them are not registered, or cannot be started. */
  readonly callable: readonly string[];
  readonly critics: readonly string[];
  /** Nodes that come before. */
  readonly before: readonly string[];
  /** How long waits are, in milliseconds. */
  readonly wait: number;
}

const CHANNELS = CHANNEL_REDUCERS.map((reducer) => `ch-${reducer}`);
const KEYS = ['k1', 'k2', 'k3'];
const FILES = ['a.md', 'b/c.txt'];
const PEOPLE = ['ana', 'bo', 'cy'];

export function anyNode(dice: Dice, id: string, around: Around): Config {
  const made = (typeId: string, config: Config = {}, inputs: Config = {}): Config => ({
    id,
    typeId,
    config,
    ...(Object.keys(inputs).length > 0 && { inputs }),
  });
  const any = () => port(dice, around.before);
  const waits = () => dice.between(0, around.wait);
  const node = dice.weigh<Config>(
    [5, () => made('vendor.baton.set', { assign: assignments(dice) })],
    [1, () => made('core.noop')],
    [
      2,
      () =>
        made(
          'core.delay',
          dice.chance(0.8) ? { delayMs: waits() } : {},
          dice.chance(0.1) ? { delayMs: any() } : {},
        ),
    ],
    [1, () => made('core.conformance.hold')],
    [0.7, () => made('core.fail', dice.some(0.5, { code: 'as_told', message: 'As told.' }))],
    [5, () => made('core.conformance.side-effect', {}, { given: any() })],
    [2, () => made('core.identity', identityConfig(dice), { value: any() })],
    [3, () => made('core.approvalGate', approval(dice, around), { shown: any(), more: any() })],
    [2, () => made('core.clarificationGate', clarification(dice, around))],
    [2, () => made('core.interrupt', interrupt(dice, around))],
    [3, () => made('core.channelWrite', channel(dice), { value: any() })],
    [
      2,
      () =>
        made(
          'vendor.baton.memory.write',
          { key: dice.pick(KEYS), ...dice.some(0.3, { tags: ['t1'], ttlSeconds: 2 }) },
          { content: any() },
        ),
    ],
    [1, () => made('vendor.baton.memory.write', { content: 'without a key' })],
    [
      2,
      () =>
        made('vendor.baton.memory.read', {
          ...dice.some(0.4, { key: dice.pick(KEYS), tag: 't1', search: 'text' }),
          ...dice.some(0.5, { into: 'made' }),
        }),
    ],
    [1, () => made('vendor.baton.memory.forget', { key: dice.pick(KEYS) })],
    [2, () => made('vendor.baton.workspace.write', { path: dice.pick(FILES) }, { content: any() })],
    [
      2,
      () =>
        made('vendor.baton.workspace.read', { path: dice.pick(FILES), ...dice.some(0.5, { into: 'made' }) }),
    ],
    [2, () => made('core.conformance.mock-agent', agent(dice))],
    [3, () => modelCall(dice, made)],
    [0.2, () => made('conformance.requiresMissing')],
    [around.callable.length > 0 ? 7 : 0, () => subWorkflow(dice, id, around)],
  );
  return { ...node, ...moreOf(dice, node, around) };
}

function identityConfig(dice: Dice): Config {
  return dice.pick<Config>([
    {},
    { emitDuplicateMessageId: true },
    { memoryAction: 'write-then-read' },
    { memoryAction: 'cross-tenant-probe' },
    { memoryAction: 'ttl-probe' },
  ]);
}

function approval(dice: Dice, { wait }: Around): Config {
  const several = dice.chance(0.3);
  return {
    ...dice.some(0.4, { title: 'Go on?', onReject: 'continue' }),
    ...dice.some(0.3, { timeoutMs: wait + 1, rejectionPolicy: dice.pick(['single-veto', 'majority']) }),
    ...(dice.chance(0.5) && { actions: ['accept', 'reject', 'edit-accept', 'refine', 'ask'] }),
    ...(several && {
      requiredApprovals: 2,
      ...dice.some(0.5, { approversList: PEOPLE, overrideBypassesQuorum: true }),
    }),
  };
}

function clarification(dice: Dice, { wait }: Around): Config {
  return {
    questions: [
      { id: 'q1', question: 'Which?' },
      ...(dice.chance(0.5) ? [{ id: 'q2', question: 'How many?', schema: { type: 'number' } }] : []),
    ],
    ...dice.some(0.3, { timeoutMs: wait + 1 }),
  };
}

function interrupt(dice: Dice, { wait }: Around): Config {
  const timing = dice.some(0.4, { timeoutMs: wait + 1 });
  return dice.chance(0.5)
    ? { kind: 'external-event', data: { eventType: 'paid', correlation: { order: 7 } }, ...timing }
    : { kind: 'custom', data: { customKind: 'mine', payload: { x: 1 } }, ...timing };
}

function channel(dice: Dice): Config {
  return {
    channelName: dice.pick([...CHANNELS, 'undeclared']),
    ...dice.some(0.2, { ttlMs: 50, reducer: dice.pick(CHANNEL_REDUCERS) }),
  };
}

function agent(dice: Dice): Config {
  const confidence = dice.pick([0.1, 0.6, 0.95]);
  return dice.some(0.5, {
    mockReasoning: { summary: 'So it is.', streamChunks: ['So ', 'it is.'] },
    mockToolCalls: [
      { toolId: 'look', arguments: { x: 1 }, result: 'seen' },
      { toolId: 'break', error: { error: 'broken', message: 'no' } },
    ],
    mockHandoff: { toAgentId: 'other.agent', reason: 'because' },
    mockDecision: { decision: { go: true }, confidence },
  });
}

/** The names of the nodes tell the mock what to say; see `mockPrograms`. */
function modelCall(dice: Dice, made: (typeId: string, config: Config, inputs: Config) => Config): Config {
  const outputSchema = { type: 'object', required: ['valid'], properties: { valid: { type: 'boolean' } } };
  const content = dice.pick(['"Is it so?"', '"Is " + variables.b + " so?"', '"Is " + variables.s + " so?"']);
  const messages = { type: 'expression', expression: `[{"role": "user", "content": ${content}}]` };
  const model = { provider: 'mock', model: 'mock-mini', outputSchema };
  return made('core.ai.structuredOutput', model, dice.chance(0.9) ? { messages } : {});
}

export function gateSettings(dice: Dice, { critics, wait }: Around): Config {
  return {
    ...(dice.chance(0.4) && {
      outputAttestation: {
        checksum: dice.chance(0.7),
        requireApproval: dice.chance(0.4),
        ...dice.some(0.15, {
          timeoutMs: wait + 1,
          separationOfDuties: true,
          requiredApprovals: 2,
          approversList: PEOPLE,
        }),
        ...dice.some(0.1, { principalScope: ['runs:read'] }),
      },
    }),
    ...(dice.chance(0.3) && {
      verifier: {
        workflowId: dice.pick(critics),
        ...dice.some(0.3, { criteria: ['true'], maxRevisions: dice.between(0, 2), timeoutMs: wait + 1 }),
      },
    }),
    ...dice.some(0.15, { memoryScopeIsolation: 'isolated' }),
  };
}

const MAPPINGS: readonly Config[] = [{}, { a: 'a' }, { b: 'b', s: 's' }, { made: 'c' }, { topic: 'b' }];

export const mapping = (dice: Dice): Config => dice.pick(MAPPINGS);

function subWorkflow(dice: Dice, id: string, around: Around): Config {
  const settings = gateSettings(dice, around);
  const isGated = 'outputAttestation' in settings || 'verifier' in settings;
  const config = {
    workflowId: dice.pick(around.callable),
    ...dice.some(0.5, { onChildFailure: 'absorb' }),
    ...dice.some(0.5, { inputMapping: mapping(dice), outputMapping: mapping(dice) }),
    ...dice.some(0.2, { propagateCancellation: false }),
    ...(!isGated && dice.chance(0.2) && { waitForCompletion: false }),
  };
  return { id, typeId: 'core.subWorkflow', config, settings };
}

function moreOf(dice: Dice, { settings }: Config, { wait }: Around): Config {
  const retry = { maxRetries: dice.between(1, 2), backoffMs: dice.between(0, wait) };
  return {
    settings: {
      ...(settings as Config | undefined),
      ...dice.some(0.1, { timeoutMs: dice.between(1, wait + 1) }),
      ...dice.some(0.2, { retry }),
      ...dice.some(0.05, { requiredScopes: ['workspace:write'] }),
    },
    ...dice.some(0.05, { disabled: true }),
    ...dice.some(0.1, {
      outputSensitivity: { key: true, data: true, artifact: true, answers: true, value: true },
    }),
    ...dice.some(0.1, { agent: { agentId: 'an.agent' } }),
  };
}
