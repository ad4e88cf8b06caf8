import { afterAll, describe, expect, it } from 'vitest';
import { type Attack, FREEZES } from '../attacks/freezes.mjs';
import { sharedHost } from './host.ts';

/** Each attack on a real host: what comes of it is an answer, and the host still does its work. */
const host = await sharedHost({ alwaysRefold: false });
afterAll(() => host.stop());

describe('a workflow that once stalled the host', () => {
  it.each(FREEZES.map((attack) => [attack.name, attack] as const))('%s', async (_name, attack) => {
    await expectOutcome(attack);
    expect((await host.run('quick')).body).toMatchObject({ status: 'completed' });
  });
});

async function expectOutcome({ definition, run, outcome }: Attack): Promise<void> {
  const registered = await host.post('/v1/workflows', definition);
  if (outcome.kind === 'refused') {
    expect(registered).toMatchObject({
      status: 400,
      body: { error: outcome.code, message: expect.stringContaining(outcome.words) },
    });
    return;
  }
  expect(registered.status).toBe(201);
  const started = await host.run(definition.id, run);
  if (outcome.kind === 'not-started') {
    expect(started).toMatchObject({
      status: 400,
      body: { error: outcome.code, message: expect.stringContaining(outcome.words) },
    });
    return;
  }
  if (outcome.kind === 'completes') {
    expect(['completed', 'waiting-approval']).toContain(started.body.status);
    return;
  }
  expect(started.body).toMatchObject({
    status: 'failed',
    error: { code: outcome.code, message: expect.stringContaining(outcome.words) },
  });
}
