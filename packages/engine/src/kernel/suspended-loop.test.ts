import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  hand,
  LOOP_EDGES,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../../conformance/src/testkit/workflows.ts';

const MINUTE = 60_000;
const ASK = { kind: 'ask-user', prompt: 'Go on?' };

const iterations = (run: Simulation) =>
  run.of('runOrchestrator.decided').map((event) => event.payload.iteration);

/** Each way in which a loop can wait for a person, and the node that asks. */
const WAITS: readonly (readonly [string, object])[] = [
  ['a question', ASK],
  ['an escalation', { kind: 'escalate', reason: 'Too risky?' }],
  ['a decision that is not sure enough', { ...hand('w'), confidence: 0.1 }],
];

describe('a suspended loop', () => {
  it.each(WAITS)('STATE-11 FAIL-10 is not moved by time: %s', (_what, decision) => {
    const run = simulate([boss([hand('w'), decision, TERMINATE]), worker('w')]);
    const before = run.events().length;
    for (let minute = 0; minute < 10; minute += 1) run.tick(MINUTE);
    expect(run.events()).toHaveLength(before);
    expect(iterations(run)).toEqual([1, 2]);
  });

  it('STATE-11 FAIL-10 is not moved by a timer of the same run', () => {
    const definition = workflow(
      'boss',
      [
        node('supervisor', 'core.orchestrator.supervisor', { script: [ASK, TERMINATE] }),
        node('dispatch', 'core.dispatch'),
        node('heartbeat', 'core.delay', { ms: MINUTE }),
      ],
      { edges: LOOP_EDGES },
    );
    const run = simulate([definition]);
    run.tick(MINUTE);
    expect(run.of('node.completed').map((event) => event.nodeId)).toContain('heartbeat');
    expect(iterations(run)).toEqual([1]);
    expect(run.status()).toBe('waiting-input');
  });

  it('STATE-11 FAIL-10 is not moved by what others write', () => {
    const run = simulate([boss([ASK, TERMINATE])]);
    run.setVariables({ answer: 'yes' });
    expect(iterations(run)).toEqual([1]);
    expect(run.status()).toBe('waiting-input');
  });

  it('STATE-12 leaves only events that other runs leave too, and ends as any loop ends', () => {
    const stopped = simulate([boss([hand('w'), ASK, hand('w'), TERMINATE]), worker('w')]);
    stopped.resolve('dispatch', { answers: { answer: 'yes' } });
    const straight = simulate([boss([hand('w'), hand('w'), TERMINATE]), worker('w')]);
    const asking = simulate([
      workflow('asks', [
        node('ask', 'core.clarificationGate', { questions: [{ id: 'q', question: 'Ok?' }] }),
      ]),
    ]);
    asking.resolve('ask', { answers: { q: 'yes' } });
    const known = new Set([...straight.types(), ...asking.types()]);
    expect(stopped.types().filter((type) => !known.has(type))).toEqual([]);
    expect(stopped.types().at(-1)).toBe('run.completed');
  });
});

describe('the end of a loop', () => {
  it('STATE-13 is the decision of its supervisor, whatever the variables say', () => {
    const done = worker('w', { done: true });
    const run = simulate([
      boss([hand('w'), hand('w'), hand('w'), TERMINATE], { outputMapping: { done: 'done' } }),
      done,
    ]);
    expect(run.of('runOrchestrator.decided').map((event) => event.payload.decision.kind)).toEqual([
      'next-worker',
      'next-worker',
      'next-worker',
      'terminate',
    ]);
  });

  it.each(['until', 'stopWhen', 'successCriteria'])('STATE-13 has no second way: %s is refused', (field) => {
    const config = { script: [TERMINATE], [field]: 'variables.done' };
    const definition = workflow('boss', [node('supervisor', 'core.orchestrator.supervisor', config)]);
    expect(() => simulate([definition])).toThrow(field);
  });
});
