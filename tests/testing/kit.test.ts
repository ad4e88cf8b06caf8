import { workflow } from '@baton/client/builder';
import {
  asks,
  cancel,
  emitted,
  ended,
  given,
  hasVariables,
  merged,
  notEmitted,
  pass,
  scripted,
  start,
  startingAt,
  untilAtRest,
} from '@baton/client/testing';
import { describe, expect, it } from 'vitest';

const hello = workflow('hello', {
  variables: { name: { type: 'string', defaultValue: 'world' }, greeting: 'string' },
}).set('greet', { greeting: "'Hello, ' + variables.name + '!'" });

const slow = workflow('slow', { variables: { steps: 'array' } })
  .set('begin', { steps: '[1]' })
  .delay('wait', 86_400_000, { after: 'begin' })
  .set('middle', { steps: 'variables.steps + [2]' }, { after: 'wait' })
  .delay('wait-again', 86_400_000, { after: 'middle' })
  .set('end', { steps: 'variables.steps + [3]' }, { after: 'wait-again' });

const messageOf = (check: () => unknown): string => {
  try {
    check();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the check did not fail');
};

describe('plain JavaScript', () => {
  const anything = (value: unknown) => value as never;

  it('is told of mistakes that the compiler would have found', async () => {
    expect(() => notEmitted(anything('no.such.event'))).toThrow(/No event has the type "no\.such\.event"/);
    expect(() => startingAt(anything(null))).toThrow(/"null" is not a time/);
    expect(() => given(anything(null))).toThrow(/given\(\) takes workflows/);
    await expect(given(hello).when({}, anything('accept'))).rejects.toThrow(
      /A step of when\(\) is a function/,
    );
  });

  it('is told of a script that no agent and no node would read', async () => {
    const run = given(hello, scripted({ gret: [{ text: 'x' }] })).when();
    await expect(run).rejects.toThrow(/scripted\(\) names "gret".*Did you mean "greet"\?/);
  });

  it('is told of inputs that a host cannot store', async () => {
    const run = given(hello).when(JSON.parse('{"__proto__": "x"}'));
    await expect(run).rejects.toThrow(/inputs cannot be stored: the key "__proto__"/);
  });
});

describe('time in the test kit', () => {
  it('stands still until it is moved', async () => {
    const run = await given(slow).when();
    expect([run.status, run.variables.steps]).toEqual(['running', [1]]);
  });

  it('passes in steps, so that everything happens at its time', async () => {
    const run = await given(slow).when(pass('10d'));
    const ends = run.events.filter(({ type }) => type === 'node.completed').map(({ timestamp }) => timestamp);
    expect(new Set(ends.map((time) => time.slice(0, 10)))).toEqual(
      new Set(['2026-01-01', '2026-01-02', '2026-01-03']),
    );
    expect(run.now.toISOString()).toBe('2026-01-11T00:00:00.000Z');
    expect(run.variables.steps).toEqual([1, 2, 3]);
  });

  it('begins when the test says', async () => {
    const run = await given(slow, startingAt('2030-05-01T12:00:00Z')).when(untilAtRest());
    expect(run.events[0]?.timestamp).toBe('2030-05-01T12:00:00.000Z');
    expect(run.now.toISOString()).toBe('2030-05-03T12:00:00.000Z');
    expect(() => startingAt('tomorrow')).toThrow(/is not a time/);
  });

  it.each([
    ['250ms', 250],
    ['2s', 2_000],
    ['1.5min', 90_000],
    ['3h', 10_800_000],
    [42, 42],
  ] as const)('takes %s', async (duration, ms) => {
    const run = await given(hello).when(pass(duration));
    expect(run.now.getTime() - Date.UTC(2026, 0, 1)).toBe(ms);
  });

  it('refuses a duration that it cannot read', async () => {
    await expect(given(hello).when(pass('soon' as '1s'))).rejects.toThrow(/"soon" is not a duration/);
  });
});

describe('worlds', () => {
  const notebook = workflow('notebook', { variables: { note: 'string', notes: 'array' } })
    .node('write', 'vendor.baton.memory.write', { tags: ['note'] }, { inputs: { content: 'note' } })
    .node('read', 'vendor.baton.memory.read', { tag: 'note', into: 'notes' }, { after: 'write' });

  it('of two tests have nothing in common, also with the same memory scope and at the same time', async () => {
    const test = given(notebook);
    const runs = await Promise.all(
      ['one', 'two'].map((note) => test.when(start({ note }, { scopeId: 'shared' }), pass('1d'))),
    );
    expect(
      runs.map(({ variables }) => (variables.notes as { content: string }[]).map(({ content }) => content)),
    ).toEqual([['one'], ['two']]);
  });

  it('do not move each other: time that passes for one run stands still for another', async () => {
    const [first, second] = await Promise.all([given(slow).when(), given(slow).when()]);
    await first.untilAtRest();
    expect([first.status, second.status]).toEqual(['completed', 'running']);
    expect(second.now.toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });

  it('take a thousand runs', async () => {
    const test = given(hello);
    for (let at = 0; at < 1000; at += 1) await test.when({ name: `number ${at}` }).then(ended('completed'));
    const last = await test.when({ name: 'the last' });
    expect(last.variables.greeting).toBe('Hello, the last!');
  });
});

describe('a workflow that a host would refuse', () => {
  it('is refused with the field', async () => {
    const broken = workflow('broken', { variables: { x: 'string' } }).set('set', { x: String('1 +') });
    await expect(given(broken).when()).rejects.toMatchObject({
      code: 'validation_error',
      message: /config\.assign\.x/,
    });
  });

  it('cannot start without its required variables', async () => {
    const strict = workflow('strict', { variables: { topic: { type: 'string', required: true } } }).node(
      'n',
      'core.noop',
      {},
    );
    // @ts-expect-error The topic is required.
    const begun = () => given(strict).when({});
    await expect(begun()).rejects.toMatchObject({ code: 'validation_error' });
    // @ts-expect-error A number is no string.
    await expect(given(strict).when({ topic: 1 })).rejects.toThrow();
    expect((await given(strict).when({ topic: 'owls' })).status).toBe('completed');
  });
});

describe('a check that fails', () => {
  it('says which status the run has, and its events', async () => {
    const run = await given(slow).when();
    const message = messageOf(() => ended('completed')(run));
    expect(message).toContain('The run is running, not completed.');
    expect(message).toMatch(/The run of slow is running\. Its events:\n {4}0 {2}run\.started/);
    expect(message).toMatch(/\d {2}node\.completed +begin/);
  });

  it('says which events there are instead of a missing one', async () => {
    const run = await given(hello).when();
    const message = messageOf(() => emitted({ type: 'variable.changed', payload: { name: 'greting' } })(run));
    expect(message).toContain(
      'The run has no event "variable.changed" with {"name":"greting"}. There are others of this type:',
    );
    expect(message).toContain('"name":"greeting","next":"Hello, world!"');
  });

  it('says after which event an event is missing', async () => {
    const run = await given(hello).when();
    expect(emitted('run.started', 'run.completed')(run)).toBe(run);
    expect(messageOf(() => emitted('run.completed', 'run.started')(run))).toMatch(
      /The run has no event "run.started" after event \d+\./,
    );
  });

  it('shows an event that must not be there', async () => {
    const run = await given(hello).when();
    expect(notEmitted('run.failed')(run)).toBe(run);
    expect(messageOf(() => notEmitted({ type: 'node.started', nodeId: 'greet' })(run))).toMatch(
      /The run has an event "node.started" of "greet": \d+ {2}node\.started +greet/,
    );
  });

  it('says what a variable is', async () => {
    const run = await given(hello).when({ name: 'Ada' });
    expect(messageOf(() => hasVariables({ greeting: 'Hello!' })(run))).toContain(
      'The variable "greeting" is "Hello, Ada!", not "Hello!".',
    );
    expect(messageOf(() => hasVariables({ greting: 'x' })(run))).toContain(
      'The variable "greting" has no value',
    );
  });

  it('says that nothing came to a gate, and which question is open', async () => {
    const gate = workflow('gate', { variables: { report: 'string' } }).approval('approve', {});
    const run = await given(gate).when();
    expect(messageOf(() => merged('report')(run))).toContain('No outputs came to a merge gate.');
    expect(messageOf(() => asks('aprove')(run))).toMatch(
      /It waits for an answer:\n {2}approval at "approve"/,
    );
  });

  it('has the values to compare, and points to the test', async () => {
    const run = await given(hello).when();
    const failing = () => hasVariables({ greeting: 'x' })(run);
    let error: unknown;
    try {
      failing();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ name: 'AssertionError', expected: 'x', actual: 'Hello, world!' });
    expect((error as Error).stack).toMatch(/kit\.test\.ts/);
    expect((error as Error).stack).not.toMatch(/testing\/checks/);
  });
});

it('a run is cancelled, paused and resumed', async () => {
  const cancelled = await given(slow).when(cancel('no longer needed'));
  expect(cancelled.status).toBe('cancelled');
  const run = await given(slow).when();
  await run.pause();
  await run.pass('5d');
  expect([run.status, run.variables.steps]).toEqual(['paused', [1]]);
  await run.resume();
  await run.untilAtRest();
  expect(run.variables.steps).toEqual([1, 2, 3]);
});
