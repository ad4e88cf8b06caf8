import { CHANNEL_REDUCERS, TRIGGER_RULES } from '@baton/protocol';
import { condition } from './expression-generator.ts';
import { type Around, anyNode, type Config, gateSettings, mapping } from './node-generator.ts';
import type { Dice } from './random-choice.ts';

/** Random valid workflows: a root, what it hands work to, and what those hand work to. */
export interface Family {
  readonly root: string;
  readonly definitions: readonly Config[];
  /** Other versions, and workflows that are missing at first: registered at some time while runs are under way. */
  readonly later: readonly Config[];
  readonly inputs: Config;
  readonly configurable: Config;
}

interface FamilyOptions {
  /** How long waits are at most, in milliseconds. */
  readonly wait: number;
}

export function familyOf(dice: Dice, { wait }: FamilyOptions): Family {
  const critics = ['critic-pass', 'critic-doubt', 'critic-odd', 'critic-missing'];
  const leaves = ['leaf-0', 'leaf-1', 'picky'];
  const missing = ['missing'];
  const below: Around = { callable: [], critics, before: [], wait };
  const middle: Around = { ...below, callable: [...leaves, ...missing] };
  const top: Around = { ...below, callable: ['middle', ...leaves, ...missing, 'root'] };
  return {
    root: 'root',
    definitions: [
      workflow(dice, 'root', top, dice.between(3, 8)),
      workflow(dice, 'middle', middle, dice.between(2, 5)),
      workflow(dice, 'leaf-0', below, dice.between(1, 3)),
      workflow(dice, 'leaf-1', below, dice.between(1, 3)),
      { ...workflow(dice, 'picky', below, 1), variables: [...VARIABLES, TOPIC] },
      critic('critic-pass', { verdict: 'pass', confidence: 0.9 }),
      critic('critic-doubt', { verdict: 'pass', confidence: dice.pick([0.3, 0.6]) }),
      workflow(dice, 'critic-odd', { ...below }, 2, [
        { name: 'verdict', type: 'string', defaultValue: dice.pick(['revise', 'fail', 'pass', 'nonsense']) },
        { name: 'feedback', type: 'string', defaultValue: 'do better' },
      ]),
    ],
    later: [
      workflow(dice, 'leaf-0', below, 2),
      workflow(dice, 'missing', below, 1),
      critic('critic-missing', { verdict: 'pass' }),
      { ...workflow(dice, 'picky', below, 1) },
    ],
    inputs: dice.some(0.8, {
      a: dice.between(0, 9),
      b: dice.pick(['x', 'xx', 'tides']),
      s: 'card-4111-1111',
      c: { k: [1] },
    }),
    configurable: {
      ...dice.some(0.05, {
        recursionLimit: dice.between(2, 12),
        runTimeoutMs: wait * 3 + 1,
        maxLoopIterations: 2,
      }),
      ...dice.some(0.1, { escalationThreshold: 0.7 }),
    },
  };
}

const VARIABLES: readonly Config[] = [
  { name: 'a', type: 'number', defaultValue: 1 },
  { name: 'b', type: 'string', defaultValue: 'x' },
  { name: 'c', type: 'object', defaultValue: { k: 1 } },
  { name: 's', type: 'string', sensitive: true, defaultValue: 'card-0000' },
  { name: 'made', type: 'object' },
];
const TOPIC = { name: 'topic', type: 'string', required: true };

const channels = Object.fromEntries(
  CHANNEL_REDUCERS.map((reducer) => [
    `ch-${reducer}`,
    {
      reducer,
      ...(reducer === 'append' && { maxSize: 2, sensitive: true }),
      ...(reducer === 'feedback' && { ttlMs: 40 }),
    },
  ]),
);

function critic(id: string, variables: Record<string, string | number>): Config {
  return {
    id,
    nodes: [{ id: 'judge', typeId: 'core.noop' }],
    variables: Object.entries(variables).map(([name, defaultValue]) => ({
      name,
      type: typeof defaultValue,
      defaultValue,
    })),
  };
}

function workflow(
  dice: Dice,
  id: string,
  around: Around,
  size: number,
  more: readonly Config[] = [],
): Config {
  const nodes: Config[] = [];
  const edges: Config[] = [];
  const supervised = around.callable.length > 0 && dice.chance(0.6);
  if (supervised) {
    nodes.push(...loop(dice, around));
    edges.push(
      { sourceNodeId: 'boss', targetNodeId: 'hand' },
      { sourceNodeId: 'hand', targetNodeId: 'boss' },
    );
  }
  for (let number = 0; number < size; number += 1) {
    const before = nodes.map((node) => String(node.id));
    const node = anyNode(dice, `n${number}`, { ...around, before });
    nodes.push(node);
    for (const source of before.filter(() => dice.chance(0.3)))
      edges.push(edge(dice, source, String(node.id)));
  }
  return {
    id,
    nodes,
    edges,
    variables: [...VARIABLES, ...more],
    channels,
    settings: { ...dice.some(0.04, { timeout: around.wait * 4 + 1 }), ...dice.some(0.1, { maxRetries: 1 }) },
  };
}

function edge(dice: Dice, sourceNodeId: string, targetNodeId: string): Config {
  // The decision alone says when a dispatch node acts; everything else may have conditions.
  return {
    sourceNodeId,
    targetNodeId,
    ...dice.some(0.3, { condition: condition(dice) }),
    ...dice.some(0.4, { triggerRule: dice.pick(TRIGGER_RULES) }),
  };
}

function loop(dice: Dice, around: Around): readonly Config[] {
  const script = Array.from({ length: dice.between(1, 4) }, () => decision(dice, around));
  const byExpression = dice.chance(0.15);
  const decide =
    'turn.iteration > 2 ? {"kind": "terminate"} : {"kind": "next-worker", "nextWorkerIds": [size(turn.transcript) > 8 ? "leaf-0" : "leaf-1"]}';
  return [
    {
      id: 'boss',
      typeId: 'core.orchestrator.supervisor',
      config: byExpression ? {} : { script, ...dice.some(0.1, { mockConfidence: dice.pick([0.2, 0.9]) }) },
      settings: byExpression ? { decide } : dice.some(0.1, { timeoutMs: around.wait + 1 }),
    },
    {
      id: 'hand',
      typeId: 'core.dispatch',
      config: {
        ...dice.some(0.1, { fanOutPolicy: 'reject', iterationCap: 2 }),
        ...dice.some(0.4, { inputMapping: mapping(dice), outputMapping: mapping(dice) }),
        ...dice.some(0.2, {
          perWorkerInputMappings: { picky: { topic: 'b' } },
          perWorkerOutputMappings: { middle: { a: 'a' } },
        }),
      },
      settings: { ...gateSettings(dice, around), ...dice.some(0.15, { timeoutMs: around.wait + 1 }) },
    },
  ];
}

function decision(dice: Dice, { callable }: Around): Config {
  const confidence = dice.some(0.2, { confidence: dice.pick([0.3, 0.55, 0.9]) });
  return dice.weigh<Config>(
    [6, () => ({ kind: 'next-worker', nextWorkerIds: [dice.pick(callable)], ...confidence })],
    [2, () => ({ kind: 'next-worker', nextWorkerIds: [dice.pick(callable), dice.pick(callable)] })],
    [1, () => ({ kind: 'ask-user', prompt: 'Which one?' })],
    [1, () => ({ kind: 'clarify', prompt: 'How?' })],
    [1, () => ({ kind: 'escalate', ...dice.some(0.5, { reason: 'unsure' }) })],
    [
      1,
      () => ({
        kind: 'terminate',
        ...confidence,
        ...dice.some(0.4, { successCriteria: [{ key: 'cited', met: dice.chance(0.5) }] }),
      }),
    ],
  );
}
