import type { Json, RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import { edge, node, workflow } from '../../../../conformance/src/testkit/workflows.ts';
import { snapshotOf } from '../../snapshot.ts';
import { isSealed } from './sealed.ts';

const CANARY = 'canary-value-7f3a9c';
const PIN = 90_817_263_544;

const sensitive = (name: string, type = 'string') => ({ name, type, sensitive: true });
const plain = (name: string, type = 'string') => ({ name, type });
const from = (variableName: string) => ({ type: 'variable', variableName });

function texts(simulation: Simulation): string {
  return simulation
    .runIds()
    .flatMap((runId) => [
      ...simulation.events(runId).map((event) => JSON.stringify(event)),
      JSON.stringify(simulation.run(runId)),
      JSON.stringify(simulation.memory(runId)),
    ])
    .join('\n');
}

function lastOf(events: readonly RunEvent[], type: string): RunEvent['payload'] & Record<string, Json> {
  return events.findLast((event) => event.type === type)?.payload as never;
}

describe('a sensitive variable', () => {
  it('is sealed in the first event, in inputs and variables, whatever its type', () => {
    const simulation = simulate(
      [
        workflow('w', [node('a', 'core.noop')], {
          variables: [sensitive('key'), sensitive('pin', 'number')],
        }),
      ],
      { inputs: { key: CANARY, pin: PIN, other: 'seen' } },
    );
    const { inputs, variables } = simulation.run();
    for (const bag of [inputs, variables]) {
      expect(isSealed(bag.key)).toBe(true);
      expect(isSealed(bag.pin)).toBe(true);
      expect(bag.other).toBe('seen');
    }
    expect(texts(simulation)).not.toContain(CANARY);
    expect(texts(simulation)).not.toContain(String(PIN));
  });

  it('is sealed when a node writes it, and what flows on is the token', () => {
    const simulation = simulate(
      [
        workflow(
          'w',
          [
            node('set', 'vendor.baton.set', { assign: { key: '"made-" + inputs.part', copy: '"see"' } }),
            { ...node('echo', 'core.identity'), inputs: { value: from('key') } },
          ],
          { edges: [edge('set', 'echo')], variables: [sensitive('key'), plain('part')] },
        ),
      ],
      { inputs: { part: 'of-this' } },
    );
    const { variables, nodes } = simulation.run();
    expect(isSealed(variables.key)).toBe(true);
    expect(nodes.echo).toMatchObject({ status: 'completed', outputs: { value: variables.key } });
  });

  it('is the same token for the same value, so that a replay writes the same bytes', () => {
    const run = () =>
      simulate([workflow('w', [node('a', 'core.noop')], { variables: [sensitive('key')] })], {
        inputs: { key: CANARY },
      });
    expect(texts(run())).toBe(texts(run()));
  });

  it('goes to children as a token, past the types that they declare', () => {
    const child = workflow('child', [node('a', 'core.noop')], {
      variables: [{ ...plain('number', 'number'), required: true }, sensitive('own')],
    });
    const parent = workflow(
      'parent',
      [
        node('call', 'core.subWorkflow', {
          workflowId: 'child',
          inputMapping: { number: 'pin', own: 'open' },
          outputMapping: { back: 'number', key: 'own' },
        }),
      ],
      { variables: [sensitive('pin', 'number'), plain('open')] },
    );
    const simulation = simulate([parent, child], { inputs: { pin: PIN, open: 'not hidden above' } });
    expect(simulation.status()).toBe('completed');
    const { pin, back, key } = simulation.run().variables;
    expect(isSealed(pin)).toBe(true);
    expect(back).toBe(pin);
    expect(isSealed(key)).toBe(true);
    expect(texts(simulation)).not.toContain(String(PIN));
  });

  it('is sealed when it is set from outside', () => {
    const simulation = simulate([
      workflow('w', [node('wait', 'core.delay', { ms: 1000 })], { variables: [sensitive('key')] }),
    ]);
    simulation.setVariables({ key: CANARY });
    expect(isSealed(simulation.run().variables.key)).toBe(true);
    expect(texts(simulation)).not.toContain(CANARY);
  });
});

it.each([
  ['replace', CANARY],
  ['append', CANARY],
  ['merge', { text: CANARY }],
  ['votes', { voter: 'ana', vote: CANARY }],
  ['message', { messageId: 'm1', role: 'user', content: CANARY }],
])('a sensitive channel with the reducer %s holds tokens, and still adds up', (reducer, value) => {
  const write = (id: string) => node(id, 'core.channelWrite', { channelName: 'talk', value });
  const simulation = simulate([
    workflow('w', [write('a'), write('b')], {
      edges: [edge('a', 'b')],
      channels: { talk: { reducer, sensitive: true } },
    }),
  ]);
  const { talk } = simulation.run().channels;
  expect(JSON.stringify(talk)).toContain('sealed:v1:');
  expect(texts(simulation)).not.toContain(CANARY);
  if (reducer === 'append') expect(talk).toHaveLength(2);
  if (reducer === 'message') expect(talk).toHaveLength(1);
  if (reducer === 'votes') expect(Object.keys(talk as object)).toEqual(['ana']);
  if (reducer === 'merge') expect(Object.keys(talk as object)).toEqual(['text']);
});

describe('sensitive outputs', () => {
  const masked = (given: object, ...ports: string[]) => ({
    ...given,
    outputSensitivity: Object.fromEntries(ports.map((port) => [port, true])),
  });

  it('of an answer are sealed wherever the answer is recorded', () => {
    const simulation = simulate([
      workflow('w', [
        masked(
          node('ask', 'core.clarificationGate', {
            questions: [{ id: 'q1', question: 'Which?', schema: { type: 'string', minLength: 10 } }],
          }),
          'answers',
        ),
      ]),
    ]);
    expect(() => simulation.resolve('ask', { answers: { q1: 'short' } })).toThrow(/q1/);
    simulation.resolve('ask', { answers: { q1: CANARY } });
    expect(simulation.status()).toBe('completed');
    expect(texts(simulation)).not.toContain(CANARY);
    expect(lastOf(simulation.events(), 'clarification.resolved').answers).toEqual({
      q1: expect.stringMatching(/^sealed:v1:/),
    });
  });

  it.each([
    ['a new value', { key: CANARY, note: 'changed' }],
    ['a value of another kind', { key: { number: CANARY }, note: 'changed' }],
    ['a text in the place of everything', CANARY],
  ])('of an editor over something sealed are sealed again: %s', (_what, editedArtifactData) => {
    const simulation = simulate(
      [
        workflow(
          'w',
          [
            {
              ...node('gate', 'core.approvalGate', { actions: ['accept', 'edit-accept'] }),
              inputs: {
                key: { type: 'variable', variableName: 'key' },
                note: { type: 'variable', variableName: 'note' },
              },
            },
          ],
          { variables: [sensitive('key'), plain('note')] },
        ),
      ],
      { inputs: { key: 'what stood there', note: 'open' } },
    );
    simulation.resolve('gate', { action: 'edit-accept', editedArtifactData });
    expect(simulation.status()).toBe('completed');
    expect(texts(simulation)).not.toContain(CANARY);
  });

  it('of an approval are sealed in the edit, the words and the outputs', () => {
    const simulation = simulate([
      workflow('w', [
        masked(
          node('gate', 'core.approvalGate', { actions: ['accept', 'edit-accept', 'refine', 'reject'] }),
          'artifact',
          'comment',
          'action',
        ),
      ]),
    ]);
    simulation.resolve('gate', {
      action: 'edit-accept',
      editedArtifactData: { text: CANARY },
      comment: `because of ${CANARY}`,
    });
    expect(simulation.status()).toBe('completed');
    expect(texts(simulation)).not.toContain(CANARY);
    expect(lastOf(simulation.events(), 'approval.received').action).toBe('edit-accept');
  });

  it('of an effect are sealed before its outcome is recorded', () => {
    const simulation = simulate([
      workflow('w', [masked(node('call', 'core.conformance.side-effect'), 'key')]),
    ]);
    simulation.finishEffects();
    expect(simulation.run().nodes.call).toMatchObject({
      outputs: { key: expect.stringMatching(/^sealed:v1:key:/) },
    });
  });
});

describe('at the merge gate', () => {
  const child = workflow(
    'child',
    [node('make', 'vendor.baton.set', { assign: { pin: '90817263544', text: '"a draft"' } })],
    {
      variables: [sensitive('pin', 'number'), plain('text')],
    },
  );
  const parent = workflow(
    'parent',
    [
      node('call', 'core.subWorkflow', {
        workflowId: 'child',
        outputMapping: { secretText: 'text', number: 'pin' },
        outputAttestation: { checksum: true, requireApproval: true },
      }),
    ],
    { variables: [sensitive('secretText'), plain('number', 'number')] },
  );

  it('an edit is sealed as what it replaces and as where it goes, and its digest is of what is recorded', () => {
    const simulation = simulate([parent, child]);
    const token = (
      lastOf(simulation.events(), 'interrupt.requested') as never as {
        data: { artifactData: Record<string, string> };
      }
    ).data.artifactData.pin;
    simulation.resolve('call', {
      action: 'edit-accept',
      editedArtifactData: { text: CANARY, pin: '[REDACTED]' },
    });
    expect(simulation.status()).toBe('completed');
    expect(texts(simulation)).not.toContain(CANARY);
    const { secretText, number } = simulation.run().variables;
    expect(isSealed(secretText)).toBe(true);
    // A hidden value that the editor returned unchanged is the original value again.
    expect(number).toBe(token);
  });

  it('an edit is checked in clear', () => {
    const simulation = simulate([parent, child]);
    const edit = { action: 'edit-accept', editedArtifactData: { text: 'x', pin: 'not a number' } };
    expect(() => simulation.resolve('call', edit)).toThrow(/pin must be of type number/);
  });
});

describe('secrets', () => {
  const secrets = new Map([
    ['acme', new Map([['key', CANARY]])],
    ['globex', new Map([['key', 'another-tenants-value']])],
  ]);
  const probe = workflow('probe', [
    node('probe', 'core.identity', { memoryAction: 'redaction-probe', byokSecretId: 'key' }),
  ]);

  it('MEM-16 a secret that the run resolved never reaches stored content', () => {
    const simulation = simulate([probe], { secrets });
    expect(simulation.status()).toBe('completed');
    expect(simulation.run().variables.memoryReadback).toMatchObject({
      content: 'The key is [REDACTED:key].',
    });
    expect(texts(simulation)).not.toContain(CANARY);
  });

  it('a probe for a secret that the tenant does not have fails', () => {
    expect(simulate([probe]).status()).toBe('failed');
  });

  it('are redacted in every event, and what is folded is what is stored', () => {
    const simulation = simulate(
      [
        workflow('w', [
          { ...node('echo', 'core.identity'), inputs: { value: from('text') } },
          node('keep', 'vendor.baton.memory.write', { key: 'k', content: 'x' }),
          node('gate', 'core.approvalGate', { actions: ['accept', 'edit-accept'] }),
        ]),
      ],
      {
        secrets,
        inputs: {
          text: `{"key":"${CANARY}"}`,
          [CANARY]: { url: `https://a.example/?k=${CANARY}`, auth: btoa(`user:${CANARY}`) },
          foreign: 'another-tenants-value',
        },
      },
    );
    simulation.resolve('gate', { action: 'edit-accept', editedArtifactData: { [CANARY]: CANARY } });
    expect(simulation.status()).toBe('completed');
    const { variables } = simulation.run();
    expect(variables.text).toBe('{"key":"[REDACTED:key]"}');
    expect(variables.foreign).toBe('another-tenants-value');
    expect(texts(simulation)).not.toContain(CANARY);
    expect(texts(simulation)).not.toContain(btoa(CANARY).slice(0, 12));
  });

  it('stay whole inside what is sealed', () => {
    const simulation = simulate(
      [workflow('w', [node('a', 'core.noop')], { variables: [sensitive('key')] })],
      { secrets, inputs: { key: CANARY } },
    );
    expect(isSealed(simulation.run().variables.key)).toBe(true);
  });
});

it('a snapshot shows nothing that is sealed', () => {
  const simulation = simulate(
    [
      workflow(
        'w',
        [{ ...node('gate', 'core.approvalGate', { title: 'Well?' }), inputs: { key: from('key') } }],
        {
          variables: [sensitive('key')],
        },
      ),
    ],
    { inputs: { key: CANARY } },
  );
  const row = { status: 'waiting-approval' } as Parameters<typeof snapshotOf>[1];
  const snapshot = snapshotOf(simulation.run(), row, []);
  expect(snapshot.variables).toEqual({ key: '[REDACTED]' });
  expect(snapshot.interrupt).toMatchObject({ data: { artifactData: { key: '[REDACTED]' } } });
  expect(JSON.stringify(snapshot)).not.toContain('sealed:v1:');
});
