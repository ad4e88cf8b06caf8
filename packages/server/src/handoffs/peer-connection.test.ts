import { newSigningKey, signingKey } from '@baton/engine';
import type { Peer } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { peerConnections } from './peer-connection.ts';
import { faultOf } from './peer-fault.ts';

/** What is sent to a peer, and what only to other addresses that its card names. */

const HOME = 'https://agents.example';
const ELSEWHERE = 'https://elsewhere.example';

const agent: Peer = {
  name: 'agent',
  url: HOME,
  kind: 'a2a',
  secret: 'AGENT_KEY',
  tenant: 'peer-agent',
  publishes: [],
  createdAt: 0,
};

interface Sent {
  readonly by: 'peer' | 'guarded';
  readonly origin: string;
  readonly authorization: string | null;
}

function connected(answers: Readonly<Record<string, object>>) {
  const sent: Sent[] = [];
  const clock = { now: 0 };
  const fetchBy = (by: Sent['by']) => async (given: string | URL, init?: RequestInit) => {
    const url = new URL(given);
    sent.push({ by, origin: url.origin, authorization: new Headers(init?.headers).get('authorization') });
    return Response.json(answers[url.pathname] ?? {}, { status: url.pathname in answers ? 200 : 404 });
  };
  const connections = peerConnections({
    tokenFor: async () => 'a-token',
    clients: { to: () => fetchBy('peer') },
    guarded: { fetch: fetchBy('guarded') },
    now: () => clock.now,
  });
  return { sent, clock, ...connections };
}

const cardNaming = (url: string) => ({
  name: 'Agent',
  description: '',
  version: '1',
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
});

const CARD = '/.well-known/agent-card.json';

it('sends a token to the address that the operator has set, and to no other', async () => {
  const { to, sent } = connected({ [CARD]: cardNaming(`${ELSEWHERE}/rpc`) });
  const { client } = await to(agent);
  await client.getTask({ tenant: '', id: 'x' }).catch(() => undefined);
  expect(sent).toEqual([
    { by: 'peer', origin: HOME, authorization: 'Bearer a-token' },
    { by: 'guarded', origin: ELSEWHERE, authorization: null },
  ]);
});

it('sends the token with every request to the peer itself', async () => {
  const { to, sent } = connected({ [CARD]: cardNaming(`${HOME}/rpc`) });
  const { client } = await to(agent);
  await client.getTask({ tenant: '', id: 'x' }).catch(() => undefined);
  expect(sent.map(({ by, authorization }) => [by, authorization])).toEqual([
    ['peer', 'Bearer a-token'],
    ['peer', 'Bearer a-token'],
  ]);
});

it('reads a card again after a minute, and at once when another key is registered', async () => {
  const { to, sent, clock } = connected({ [CARD]: cardNaming(`${HOME}/rpc`) });
  await to(agent);
  clock.now = 59_999;
  await to(agent);
  expect(sent).toHaveLength(1);
  clock.now = 60_000;
  await to(agent);
  expect(sent).toHaveLength(2);
  await to({ ...agent, auditKey: signingKey(newSigningKey(), 'a key').pem });
  expect(sent).toHaveLength(3);
});

it('does not take a card of a host without an id for that of a registered one', async () => {
  const { to } = connected({ [CARD]: cardNaming(`${HOME}/rpc`) });
  const { secret: _, ...known } = agent;
  const auditKey = signingKey(newSigningKey(), 'a key').pem;
  const fault = await to({ ...known, kind: 'baton', auditKey }).catch(faultOf);
  expect(fault).toMatchObject({ code: 'peer_identity_mismatch' });
});
