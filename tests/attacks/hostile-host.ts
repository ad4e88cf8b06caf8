import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentCard, canonicalizeAgentCard } from '@a2a-js/sdk';
import { newSigningKey, type SigningKey, signingKey } from '@baton/engine';
import { HANDOFF_EXTENSION, type JsonObject } from '@baton/protocol';
import { storageAt } from '@baton/server/storage';
import { onTestFinished } from 'vitest';
import { peerToken } from '../../packages/server/src/peers/peer-token.ts';
import { type Answer, startTestHost, type TestHost } from '../http/host.ts';

/** A registered peer that has its own key and does as the test tells it. */
export interface HostileHost {
  readonly hostId: string;
  readonly url: string;
  readonly auditKey: SigningKey;
  /** What it was asked: the method of A2A, or the path of other requests. */
  readonly heard: readonly string[];
  /** The parameters of the first message that it was sent. */
  sent(): JsonObject | undefined;
  token(receiver?: string): string;
  rpc(method: string, params: object): Promise<Answer>;
}

interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Behaviour {
  /** Changes the card before it is signed. */
  readonly card?: (card: AgentCard) => AgentCard;
  /** Replaces the whole answer with the card. */
  readonly cardText?: string;
  readonly answer?: (method: string, id: string) => Said;
  readonly publishes?: readonly string[];
}

export const HERE = 'host-under-attack';

export async function attackedHost(settings: Parameters<typeof startTestHost>[0] = {}): Promise<TestHost> {
  const host = await startTestHost({ hostId: HERE, peerRateLimit: 0, ...settings });
  onTestFinished(() => host.stop());
  return host;
}

/** Starts a hostile host that the attacked host knows as a peer of this name. */
export async function hostilePeer(
  host: TestHost,
  name: string,
  { card: changed = (card) => card, cardText, answer, publishes = [] }: Behaviour = {},
): Promise<HostileHost> {
  const auditKey = signingKey(newSigningKey(), name);
  const hostId = `host-${name}`;
  const heard: string[] = [];
  let sent: JsonObject | undefined;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === 'GET') {
      heard.push(request.url ?? '');
      response.end(cardText ?? JSON.stringify(signed(changed(cardOf(url, hostId)), auditKey)));
      return;
    }
    const { method, id, params } = JSON.parse(Buffer.concat(chunks).toString());
    heard.push(method);
    if (method === 'SendMessage') sent ??= params;
    const { status = 200, headers = {}, body } = (answer ?? working)(method, JSON.stringify(id));
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = await storageAt({ kind: 'sqlite', folder: host.folder }).openStore();
  const known = { name, url, hostId, auditKey: auditKey.pem, tenant: `peer-${name}`, publishes };
  await store.putPeer({ ...known, kind: 'baton', createdAt: 0 });
  await store.close();
  const token = (receiver = HERE) => peerToken({ auditKey, hostId }, receiver, Date.now());
  return {
    hostId,
    url,
    auditKey,
    heard,
    sent: () => sent,
    token,
    rpc: (method, params) =>
      host.post(
        '/v1/a2a',
        { jsonrpc: '2.0', id: 1, method, params },
        { key: token(), headers: { 'a2a-version': '1.0' } },
      ),
  };
}

/** The work of this task never ends. */
export function working(method: string, id: string): Said {
  const task = '{"id":"task-1","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}';
  return answered(id, method === 'SendMessage' ? `{"task":${task}}` : task);
}

export function answered(id: string, result: string): Said {
  return { body: `{"jsonrpc":"2.0","id":${id},"result":${result}}` };
}

function cardOf(url: string, hostId: string): AgentCard {
  return {
    name: 'Baton',
    description: 'A hostile host.',
    version: '1',
    provider: undefined,
    supportedInterfaces: [
      { url: `${url}/v1/a2a`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: false,
      extensions: [{ uri: HANDOFF_EXTENSION, description: '', required: false, params: { hostId } }],
    },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    signatures: [],
  };
}

function signed(card: AgentCard, key: SigningKey): unknown {
  const encoded = (text: string) => Buffer.from(text).toString('base64url');
  // The reader verifies the card as it has read it.
  const read = AgentCard.fromJSON(AgentCard.toJSON(card));
  const head = encoded(JSON.stringify({ alg: 'EdDSA', kid: key.keyId, typ: 'JOSE' }));
  const made = Buffer.from(key.sign(`${head}.${encoded(canonicalizeAgentCard(read))}`), 'base64');
  const signatures = [{ protected: head, signature: made.toString('base64url'), header: undefined }];
  return AgentCard.toJSON({ ...card, signatures });
}
