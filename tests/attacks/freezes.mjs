/**
 * Workflows and requests that once stalled the host, or kept it from starting again. Plain data, so that tests
 * and the benchmark use the same ones.
 *
 * `outcome` says what must come of an attack: `refused` at registration or at the start of the run, with the
 * code of the answer, or a run that `fails` with a code, or one that `completes` in a bounded number of steps.
 *
 * @typedef {{ name: string, definition: object, run?: object, outcome: Outcome }} Attack
 * @typedef {{ kind: 'refused', code: string, words: string }
 *   | { kind: 'not-started', code: string, words: string }
 *   | { kind: 'fails', code: string, words: string }
 *   | { kind: 'completes' }} Outcome
 */

const numbers = (/** @type {number} */ count) => Array.from({ length: count }, (_, n) => n);
const map = (/** @type {number} */ count, /** @type {unknown} */ value = 1) =>
  Object.fromEntries(numbers(count).map((n) => [`k${n}`, value]));

/** After a delay, so that the work is taken up again at a start. */
const afterDelay = (/** @type {string} */ id, /** @type {object} */ node, more = {}) => ({
  id,
  nodes: [{ id: 'wait', typeId: 'core.delay', config: { ms: 300 } }, node],
  edges: [{ sourceNodeId: 'wait', targetNodeId: 'work', triggerRule: 'all_success' }],
  ...more,
});
const assigning = (/** @type {object} */ assign) => ({
  id: 'work',
  typeId: 'vendor.baton.set',
  config: { assign },
});
const idle = { id: 'work', typeId: 'core.noop' };
const conditional = (/** @type {string} */ id, /** @type {object} */ condition, more = {}) => ({
  id,
  nodes: [{ id: 'first', typeId: 'core.noop' }, idle],
  edges: [{ sourceNodeId: 'first', targetNodeId: 'work', condition }],
  ...more,
});

const TOO_MANY_STEPS = 'more than 500000 steps';

/** @type {readonly Attack[]} */
export const FREEZES = [
  {
    name: 'comparing maps of 8,000 keys over and over',
    definition: afterDelay(
      'freeze-compare',
      assigning({ r: 'variables.l.exists(x, variables.a != variables.b)' }),
    ),
    run: { inputs: { l: numbers(8000), a: map(8000), b: map(8000) } },
    outcome: { kind: 'fails', code: 'expression_failed', words: TOO_MANY_STEPS },
  },
  {
    name: 'one map of 25,000 keys in 60,000 places',
    definition: afterDelay(
      'freeze-copies',
      assigning({ r: `variables.l.map(i, [${Array(200).fill('variables.a').join(',')}])` }),
    ),
    run: { inputs: { l: numbers(300), a: map(25_000) } },
    outcome: { kind: 'fails', code: 'expression_failed', words: TOO_MANY_STEPS },
  },
  {
    name: '30 references that double',
    definition: {
      id: 'freeze-references',
      nodes: [idle],
      configurableSchema: {
        $ref: '#/$defs/d0',
        $defs: Object.fromEntries([
          ...numbers(30).map((n) => [
            `d${n}`,
            { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
          ]),
          ['d30', true],
        ]),
      },
    },
    run: { configurable: {} },
    outcome: { kind: 'not-started', code: 'validation_error', words: 'cannot be checked' },
  },
  {
    name: '60,000 items that must differ',
    definition: {
      id: 'freeze-unique',
      nodes: [idle],
      configurableSchema: { properties: { list: { uniqueItems: true } } },
    },
    run: { configurable: { list: numbers(60_000) } },
    outcome: { kind: 'completes' },
  },
  {
    name: 'a nested counted pattern in a schema',
    definition: {
      id: 'freeze-schema-pattern',
      nodes: [idle],
      configurableSchema: { properties: { text: { pattern: '((a{1,30}){1,30}b{0,1}){1,5}c' } } },
    },
    outcome: { kind: 'refused', code: 'validation_error', words: 'the pattern is too large' },
  },
  {
    name: 'a pattern of the largest size over a long text',
    definition: {
      id: 'freeze-pattern-text',
      nodes: [idle],
      configurableSchema: { properties: { text: { pattern: '(a|b){1,300}c' } } },
    },
    run: { configurable: { text: 'ab'.repeat(100_000) } },
    outcome: { kind: 'not-started', code: 'validation_error', words: 'cannot be checked' },
  },
  {
    name: 'a nested counted pattern on an edge',
    definition: conditional('freeze-edge-pattern', {
      type: 'regex',
      left: 'variables.text',
      right: '((a{1,30}){1,30}b?){1,5}c',
    }),
    outcome: { kind: 'refused', code: 'validation_error', words: 'the pattern is too large' },
  },
  {
    name: 'a pattern on an edge over a long text',
    definition: conditional('freeze-edge-text', {
      type: 'regex',
      left: 'variables.text',
      right: '(a|b){1,300}c',
    }),
    run: { inputs: { text: 'ab'.repeat(100_000) } },
    outcome: { kind: 'fails', code: 'expression_failed', words: TOO_MANY_STEPS },
  },
  {
    name: '20,000 assignments in one node',
    definition: { id: 'freeze-assignments', nodes: [assigning(map(20_000, '1'))] },
    outcome: { kind: 'refused', code: 'validation_error', words: '500 are allowed' },
  },
  {
    name: 'contains over 440 KB that almost match everywhere',
    definition: {
      id: 'freeze-contains',
      nodes: [assigning({ r: 'variables.text.contains(variables.part)' })],
    },
    run: { inputs: { text: 'a'.repeat(220_000), part: `${'a'.repeat(110_000)}b` } },
    outcome: { kind: 'completes' },
  },
  {
    name: 'contains on an edge that almost matches everywhere',
    definition: conditional('freeze-edge-contains', {
      type: 'contains',
      left: 'variables.text',
      right: `${'a'.repeat(110_000)}b`,
    }),
    run: { inputs: { text: 'a'.repeat(440_000) } },
    outcome: { kind: 'completes' },
  },
  {
    name: 'a large schema',
    definition: {
      id: 'freeze-large-schema',
      nodes: [idle],
      configurableSchema: { properties: map(20_000, { type: 'string', minLength: 1 }) },
    },
    outcome: { kind: 'refused', code: 'validation_error', words: 'are allowed' },
  },
  {
    name: 'thousands of distinct expressions',
    definition: {
      id: 'freeze-expressions',
      nodes: numbers(20).map((n) => ({
        id: `n${n}`,
        typeId: 'vendor.baton.set',
        config: {
          assign: Object.fromEntries(numbers(500).map((m) => [`v${m}`, `${n} + ${m} * variables.x${m}`])),
        },
      })),
    },
    outcome: { kind: 'refused', code: 'validation_error', words: '3000 are allowed' },
  },
  {
    name: 'conditions before many nodes that wait',
    definition: {
      id: 'freeze-conditions',
      nodes: [
        { id: 'first', typeId: 'core.noop' },
        { id: 'never', typeId: 'core.approvalGate' },
        ...numbers(60).map((n) => ({ id: `w${n}`, typeId: 'core.noop' })),
      ],
      edges: numbers(60).flatMap((n) => [
        {
          sourceNodeId: 'first',
          targetNodeId: `w${n}`,
          condition: { expression: 'variables.l.exists(x, x < 0) == false' },
        },
        { sourceNodeId: 'never', targetNodeId: `w${n}` },
      ]),
    },
    run: { inputs: { l: numbers(60_000) } },
    outcome: { kind: 'completes' },
  },
  {
    name: 'errors that a quantifier passes over',
    definition: {
      id: 'freeze-errors',
      nodes: [assigning({ r: 'variables.l.exists(x, x.nothing == 1) || true' })],
    },
    run: { inputs: { l: numbers(60_000) } },
    outcome: { kind: 'fails', code: 'expression_failed', words: TOO_MANY_STEPS },
  },
];
