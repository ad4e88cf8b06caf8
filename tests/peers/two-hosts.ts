import type { PeerTls } from '@baton/engine/ports';
import { childRunId, type JsonObject, type RunEvent } from '@baton/protocol';
import type { HostSettings } from '@baton/server';
import { storageAt } from '@baton/server/storage';
import { onTestFinished } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { eventually } from '../eventually.ts';
import { ALL_SCOPES, type Answer, startTestHost, type TestHost } from '../http/host.ts';
import { type Link, startLink } from './link.ts';

/** Two real hosts on loopback that know each other: `a` hands work to `b`. */

export const A = 'host-a';
export const B = 'host-b';

/** A key of b for the tenant in which the runs of a are. */
const KEY_OF_A = 'key-for-the-runs-of-host-a';
/** A key of b for another tenant. */
export const KEY_OF_OTHERS = 'key-for-the-runs-of-others';
const KEYS = [
  { token: KEY_OF_A, tenant: 'peer-a', scopes: ALL_SCOPES },
  { token: KEY_OF_OTHERS, tenant: 'peer-c', scopes: ALL_SCOPES },
];

const variables = (...names: readonly string[]) => names.map((name) => ({ name, type: 'string' }));

const GATED = { outputAttestation: { checksum: true, requireApproval: true } };

/** What the hosts run: `shout` and `ask` are work for b, the others hand it over from a. */
export const DEFINITIONS = [
  workflow('shout', [node('say', 'vendor.baton.set', { assign: { text: '"Heard: " + variables.task' } })], {
    variables: variables('task', 'text'),
  }),
  workflow('ask', [node('gate', 'core.approvalGate', { title: 'Ship it?', actions: ['accept', 'reject'] })], {
    variables: [...variables('task'), { name: 'text', type: 'string', defaultValue: 'Shipped.' }],
  }),
  workflow('break', [node('fall', 'core.fail', { code: 'it_broke', message: 'as it was told to' })], {}),
  handing('hand-shout', 'peer:b/shout'),
  handing('hand-ask', 'peer:b/ask'),
  handing('hand-break', 'peer:b/break'),
  handing('hand-secret', 'peer:b/secret'),
  handing('hand-ask-briefly', 'peer:b/ask', { timeoutMs: 1000 }),
  handing('hand-stranger', 'peer:stranger/shout'),
  handing('gated-shout', 'peer:b/shout', GATED),
  handing('gated-ask', 'peer:b/ask', GATED),
];

function handing(id: string, workflowId: string, settings: object = {}) {
  const mapping = { inputMapping: { task: 'topic' }, outputMapping: { report: 'text' } };
  return workflow(id, [node('hand', 'core.subWorkflow', { workflowId, ...mapping }, { settings })], {
    variables: [
      { name: 'topic', type: 'string', defaultValue: 'owls' },
      { name: 'report', type: 'string' },
    ],
  });
}

export async function hostNamed(hostId: string, settings: Partial<HostSettings> = {}): Promise<TestHost> {
  return startTestHost({ hostId, builtinWorkflows: DEFINITIONS, ...settings }, hostId === B ? KEYS : []);
}

interface Introduction {
  readonly name: string;
  readonly hostId: string;
  /** Where the peer is reached, if not at its own address. */
  readonly url?: string;
  readonly publishes?: readonly string[];
  readonly tenant?: string;
  readonly auditKey?: string;
  readonly tls?: PeerTls;
  readonly certificates?: readonly string[];
}

/** Makes `peer` known to `host`. */
export async function introduce(host: TestHost, peer: TestHost, more: Introduction): Promise<void> {
  const { body } = await peer.get('/v1/audit/key');
  const store = await storageAt({ kind: 'sqlite', folder: host.folder }).openStore();
  await store.putPeer({
    url: peer.url,
    kind: 'baton',
    auditKey: body.publicKey,
    tenant: `peer-${more.name}`,
    publishes: [],
    createdAt: 0,
    ...more,
  });
  await store.close();
}

const WORK = ['shout', 'ask', 'break'];

/** Two hosts that know each other. The first hands work to the second. */
export async function twoHosts(
  publishes: readonly string[] = WORK,
): Promise<readonly [a: TestHost, b: TestHost]> {
  const a = await hostNamed(A);
  onTestFinished(() => a.stop());
  const b = await hostNamed(B);
  onTestFinished(() => b.stop());
  await introduce(a, b, { name: 'b', hostId: B });
  await introduce(b, a, { name: 'a', hostId: A, publishes });
  return [a, b];
}

interface LinkedHosts {
  readonly a: TestHost;
  /** Replaced when it is started again. */
  b: TestHost;
  /** The requests of a to b. */
  readonly toB: Link;
  /** The requests of b to a. */
  readonly toA: Link;
  /** Starts b with these settings, after it was stopped. */
  startB(settings?: Partial<HostSettings>): Promise<void>;
  stop(): Promise<void>;
}

/** Two hosts that know each other at the addresses of two links. */
export async function linkedHosts(
  folderOfB: string,
  settingsOf: (hostId: string) => Partial<HostSettings> = () => ({}),
): Promise<LinkedHosts> {
  const [toA, toB] = [await startLink(), await startLink()];
  const a = await hostNamed(A, { publicUrl: toA.url, ...settingsOf(A) });
  toA.leadTo(a.url);
  const startB = async (settings: Partial<HostSettings> = {}): Promise<TestHost> => {
    const own = { publicUrl: toB.url, dataFolder: folderOfB, ...settingsOf(B) };
    const b = await hostNamed(B, { ...own, ...settings });
    toB.leadTo(b.url);
    return b;
  };
  const hosts = {
    a,
    b: await startB(),
    toA,
    toB,
    async startB(settings?: Partial<HostSettings>) {
      hosts.b = await startB(settings);
    },
    async stop() {
      toA.close();
      toB.close();
      await a.stop();
      await hosts.b.stop();
    },
  };
  await introduce(a, hosts.b, { name: 'b', hostId: B, url: toB.url });
  await introduce(hosts.b, a, { name: 'a', hostId: A, url: toA.url, publishes: WORK });
  return hosts;
}

/** The events of a run, as its host tells them to its operator. */
export async function eventsOf(host: TestHost, runId: string): Promise<readonly RunEvent[]> {
  const { body } = await host.get(`/v1/runs/${runId}/events/poll?limit=1000`);
  return body.events;
}

/** A run that a has handed to b. */
export interface Handed {
  readonly runId: string;
  /** The run of a that stands for the run on b. */
  readonly child: string;
}

export async function begin(a: TestHost, workflowId: string): Promise<Handed> {
  const { body } = await a.post('/v1/runs', { workflowId });
  return { runId: body.runId, child: childRunId(body.runId, 1) };
}

/** The transitions of the handoff to the other host, with their payloads. */
export async function transitionsOf(a: TestHost, { child }: Handed): Promise<readonly JsonObject[]> {
  const events = await eventsOf(a, child);
  return events
    .filter(({ type }) => type === 'core.workflowChain.event')
    .map(({ payload }) => payload as JsonObject);
}

/** The id of the run on b, once a knows it. */
export async function remoteIdOf(a: TestHost, handed: Handed): Promise<string> {
  return eventually(async () => {
    const begun = (await transitionsOf(a, handed)).find(({ phase }) => phase === 'dispatch.succeeded');
    if (begun === undefined) throw new Error('the work has not begun');
    return String(begun.childRunId);
  });
}

/** A request about a run of a that is on b, with a key for its tenant. */
export function onB(b: TestHost, method: string, path: string, body?: unknown): Promise<Answer> {
  return b.send(method, path, body, { key: KEY_OF_A });
}

/** How many runs a has on b. */
export async function countOnB(b: TestHost): Promise<number> {
  return (await onB(b, 'GET', '/v1/runs?limit=200')).body.runs.length;
}
