import type { RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { compile, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  edge,
  hand,
  node,
  TERMINATE,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';
import { narrowScopes } from './scopes.ts';

const READ = 'runs:read';
const CREATE = 'runs:create';
const needs = (...requiredScopes: string[]) => ({ settings: { requiredScopes } });
const ofType = (events: readonly RunEvent[], type: string) => events.filter((event) => event.type === type);

describe('narrowScopes', () => {
  it.each([
    ['SCOPE-01 keeps what is named', [READ, CREATE], [READ], [READ]],
    ['SCOPE-01 keeps nothing when nothing is named in the list', [READ, CREATE], [], []],
    ['SCOPE-02 does not add what the parent lacks', [READ], [READ, CREATE], [READ]],
    ['SCOPE-02 leaves nothing when the parent has none of it', [READ], [CREATE], []],
    ['SCOPE-02 gives nothing to the child of a run that has nothing', [], [READ], []],
    ['SCOPE-05 hands on what the parent has when nothing is said', [READ], undefined, [READ]],
    ['narrows a run that is not restricted', undefined, [READ, READ], [READ]],
    ['leaves a run that is not restricted alone', undefined, undefined, undefined],
  ])('%s', (_title, parent, named, child) => {
    expect(narrowScopes(parent, named)).toEqual(child);
  });
});

describe('a node that needs scopes', () => {
  const gated = workflow('w', [
    node('act', 'core.noop', {}, needs(READ, CREATE)),
    node('after', 'core.noop'),
  ]);

  it('runs in a run that has them, and each decision is recorded after the start', () => {
    const run = simulate([gated], { scopes: [READ, CREATE] });
    expect(run.status()).toBe('completed');
    const [started, ...next] = run.events().filter((event) => event.nodeId === 'act');
    expect(next.slice(0, 2)).toMatchObject(
      [READ, CREATE].map((action) => ({
        type: 'authorization.decided',
        causationId: started?.eventId,
        payload: { principal: 'ana', action, resource: 'node:act', allowed: true },
      })),
    );
  });

  it('fails with forbidden in a run that lacks one, and says which', () => {
    const run = simulate([gated], { scopes: [READ] });
    expect(run.run().phase).toMatchObject({
      status: 'failed',
      error: { code: 'forbidden', details: { scopes: [CREATE] } },
    });
    expect(ofType(run.events(), 'authorization.decided').map((event) => event.payload)).toMatchObject([
      { action: READ, allowed: true },
      { action: CREATE, allowed: false, reason: expect.stringContaining(CREATE) },
    ]);
  });

  it('runs in a run that is not restricted', () => {
    expect(simulate([gated]).status()).toBe('completed');
  });

  it('is not tried again, and does nothing before it fails', () => {
    const settings = { ...needs(READ).settings, retry: { maxRetries: 3 } };
    const run = simulate([workflow('w', [node('act', 'core.conformance.side-effect', {}, { settings })])], {
      scopes: [],
    });
    expect(run.status()).toBe('failed');
    expect(run.finishEffects()).toBe(0);
    const started = ofType(run.events(), 'node.started');
    expect(started).toHaveLength(1);
    expect(started[0]?.payload).not.toHaveProperty('effect');
  });

  it('leaves a failure that the workflow handles to the workflow', () => {
    const run = simulate(
      [
        workflow('w', [node('act', 'core.noop', {}, needs(READ)), node('instead', 'core.noop')], {
          edges: [edge('act', 'instead', { triggerRule: 'any_failed' })],
        }),
      ],
      { scopes: [] },
    );
    expect(run.status()).toBe('completed');
  });

  it.each([
    ['SCOPE-03 an unknown scope', ['runs:read', 'runs:fly'], 'nodes.0.settings.requiredScopes.1'],
    ['something that is no list', 'runs:read', 'nodes.0.settings.requiredScopes'],
  ])('is refused at registration with %s', (_title, requiredScopes, field) => {
    const definition = workflow('w', [node('act', 'core.noop', {}, { settings: { requiredScopes } })]);
    expect(() => compile([definition])).toThrow(
      expect.objectContaining({ code: 'validation_error', details: expect.objectContaining({ field }) }),
    );
  });
});

describe('children', () => {
  const leaf = workflow('leaf', [node('act', 'core.noop', {}, needs(CREATE))]);
  const middle = workflow('middle', [node('sub', 'core.subWorkflow', { workflowId: 'leaf' })]);
  const top = workflow('top', [node('sub', 'core.subWorkflow', { workflowId: 'middle' })]);

  it('SCOPE-05 have what the root was started with, down to the grandchild', () => {
    const run = simulate([top, middle, leaf], { scopes: [READ] });
    expect(run.run('root.1.1').scopes).toEqual([READ]);
    expect(run.run('root.1.1').phase).toMatchObject({ status: 'failed', error: { code: 'forbidden' } });
    expect(run.status()).toBe('failed');
  });

  it('handed work by a supervisor have no more than it has', () => {
    const run = simulate([boss([hand('leaf'), TERMINATE]), leaf], { scopes: [READ] });
    expect(run.run('root.1').phase).toMatchObject({ status: 'failed', error: { code: 'forbidden' } });
    expect(run.status()).toBe('completed');
  });
});
