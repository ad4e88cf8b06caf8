import type { StoreChange } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import type { Identity } from '../auth/identity.ts';
import { changesTools } from './serve.ts';

const ADA: Identity = { keyId: 'k', tenant: 'acme', principal: 'ada', scopes: new Set() };
const PEER: Identity = { ...ADA, peer: { name: 'b', url: 'https://b.example', publishes: ['only-for-b'] } };
const registered = (id: string, tenant = 'acme'): StoreChange => ({ kind: 'workflow', tenant, id });

it.each<[string, StoreChange, Identity, boolean]>([
  ['a published workflow of the tenant', registered('translate'), ADA, true],
  ['a published workflow of all tenants', registered('translate', '*'), ADA, true],
  ['a published agent', registered('agent:local.acme.writer'), ADA, true],
  ['a workflow of another tenant', registered('translate', 'other'), ADA, false],
  ['a workflow that is not published', registered('internal'), ADA, false],
  ['a workflow that is published to a peer', registered('only-for-b'), PEER, true],
  ['a workflow that is published to another caller', registered('only-for-b'), ADA, false],
  ['the peer itself', { kind: 'peer', name: 'b' }, PEER, true],
  ['another peer', { kind: 'peer', name: 'c' }, PEER, false],
  ['changes that may have been missed', { kind: 'missed' }, ADA, true],
  ['a key', { kind: 'key', id: 'k' }, ADA, false],
])('a change of %s', (_, change, identity, isTold) => {
  expect(changesTools(change, identity, { publish: ['translate', 'local.acme.writer'] })).toBe(isTold);
});
