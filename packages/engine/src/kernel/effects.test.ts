import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../conformance/src/testkit/simulation.ts';
import { node, workflow } from '../../../conformance/src/testkit/workflows.ts';
import { pendingEffects } from './effects.ts';

/** Many effects in one execution of a node. */

function performing(config: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return simulate([workflow('w', [node('act', 'core.conformance.side-effect', config, more)])]);
}

const keysOf = (run: Simulation) => pendingEffects(run.run()).map(({ key }) => key);
const payloads = (run: Simulation, type: string) =>
  run.events().flatMap((event) => (event.type === type ? [event.payload] : []));

describe('a node that performs many effects', () => {
  it('asks for the next one when one is done, each with a step of its own', () => {
    const run = performing({ times: 3 });
    expect(keysOf(run)).toEqual(['root/act/1/1/1']);
    run.finishEffects();
    expect(keysOf(run)).toEqual(['root/act/1/1/2']);
    run.finishEffects();
    expect(run.status()).toBe('running');
    run.finishEffects();
    expect(run.types()).toEqual([
      'run.started',
      'node.started',
      'baton.effect.intended',
      'baton.effect.settled',
      'baton.effect.intended',
      'baton.effect.settled',
      'baton.effect.intended',
      'baton.effect.settled',
      'node.completed',
      'run.completed',
    ]);
    expect(run.run().nodes.act).toMatchObject({ outputs: { key: 'root/act/1/1/3' } });
  });

  it('may ask for several at once, and goes on when all are done', () => {
    const run = performing({ times: 3, atOnce: 3 });
    expect(keysOf(run)).toEqual(['root/act/1/1/1', 'root/act/1/1/2', 'root/act/1/1/3']);
    expect(run.finishEffects()).toBe(3);
    expect(run.status()).toBe('completed');
    expect(payloads(run, 'baton.effect.settled')).toHaveLength(3);
  });

  it('begins with step 1 again in its next attempt', () => {
    const settings = { retry: { maxRetries: 1, backoffMs: 0 } };
    const run = performing({ times: 2 }, { settings });
    run.finishEffects();
    run.finishEffects({ fail: 'broken' });
    run.tick(0);
    expect(keysOf(run)).toEqual(['root/act/1/2/1']);
  });

  it.each([
    ['100 at once', { times: 101, atOnce: 101 }, 0],
    ['500 in all', { times: 501, atOnce: 100 }, 500],
  ])('fails when it asks for more than %s', (_, config, asked) => {
    const run = performing(config);
    while (run.status() === 'running') run.finishEffects();
    expect(run.run().phase).toMatchObject({ error: { code: 'effect_limit_exceeded' } });
    expect(payloads(run, 'baton.effect.intended')).toHaveLength(asked);
  });

  it('waits for nothing after its run was cancelled', () => {
    const run = performing({ times: 3, atOnce: 2 });
    run.cancel();
    expect(keysOf(run)).toEqual([]);
    expect(run.status()).toBe('cancelled');
  });

  it.each([
    ['fails', {}],
    ['is tried again', { settings: { retry: { maxRetries: 1, backoffMs: 1000 } } }],
  ])('counts what it keeps of its effects, until it %s', (_, more) => {
    const run = performing(
      { times: 2 },
      {
        ...more,
        inputs: { text: { type: 'static', value: 'x'.repeat(500) } },
      },
    );
    expect(run.run().size.characters).toBeGreaterThan(500);
    run.finishEffects({ done: { text: 'y'.repeat(700) } });
    expect(run.run().size.characters).toBeGreaterThan(1700);
    run.finishEffects({ fail: 'broken' });
    expect(run.run().size.characters).toBeLessThan(100);
  });
});

describe('an effect that fails', () => {
  const RETRY = { tries: 3, times: 2 };

  it('is tried again after a time that doubles, under the same key', () => {
    const run = performing(RETRY);
    run.finishEffects();
    run.finishEffects({ fail: 'busy' });
    run.finishEffects({ fail: 'busy' });
    expect(payloads(run, 'baton.effect.retried')).toMatchObject([
      { step: 2, tries: 2, delayMs: 100, lastError: { code: 'busy' } },
      { step: 2, tries: 3, delayMs: 200 },
    ]);
    const [pending] = pendingEffects(run.run());
    expect(pending).toMatchObject({ key: 'root/act/1/1/2', tries: 3, until: run.now() + 200 });
    run.finishEffects();
    expect(run.status()).toBe('completed');
  });

  it('fails its node when all tries failed', () => {
    const run = performing(RETRY);
    for (const _ of [1, 2, 3]) run.finishEffects({ fail: 'busy' });
    expect(payloads(run, 'baton.effect.settled')).toMatchObject([{ step: 1, error: { code: 'busy' } }]);
    expect(run.run().phase).toMatchObject({ status: 'failed', error: { code: 'busy' } });
  });

  it('is not tried again when the error says so', () => {
    const run = performing(RETRY);
    run.finishEffects({ fail: 'forbidden', retryable: false });
    expect(run.run().phase).toMatchObject({ error: { code: 'forbidden' } });
    expect(payloads(run, 'baton.effect.settled')).toMatchObject([{ retryable: false }]);
  });

  it('waits for as long as the error says', () => {
    const run = performing(RETRY);
    run.finishEffects({ fail: 'busy', retryAfterMs: 60_000 });
    expect(payloads(run, 'baton.effect.retried')).toMatchObject([{ delayMs: 60_000 }]);
  });

  it('is not tried again after the time of its node is over', () => {
    const run = performing(RETRY, { settings: { timeoutMs: 50 } });
    run.finishEffects({ fail: 'busy' });
    run.tick(50);
    expect(run.run().phase).toMatchObject({ error: { code: 'node_timeout' } });
  });
});
