import type { RunEvent } from '@baton/protocol';
import type { HostSettings } from '@baton/server';
import { storageAt } from '@baton/server/storage';
import { onTestFinished } from 'vitest';
import { node, workflow } from '../../packages/engine/src/testkit/workflows.ts';
import { startTestHost, type TestHost } from '../http/host.ts';

/** Two real hosts on loopback that know each other: `a` hands work to `b`. */

export const A = 'host-a';
export const B = 'host-b';

const variables = (...names: readonly string[]) => names.map((name) => ({ name, type: 'string' }));

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
  handing('gated-shout', 'peer:b/shout', { outputAttestation: { checksum: true, requireApproval: true } }),
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
  const host = await startTestHost({ hostId, builtinWorkflows: DEFINITIONS, ...settings });
  if (settings.dataFolder === undefined) onTestFinished(() => host.stop());
  return host;
}

interface Introduction {
  readonly name: string;
  readonly hostId: string;
  /** Where the peer is reached, if not at its own address. */
  readonly url?: string;
  readonly publishes?: readonly string[];
  readonly tenant?: string;
  readonly auditKey?: string;
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
  const b = await hostNamed(B);
  await introduce(a, b, { name: 'b', hostId: B });
  await introduce(b, a, { name: 'a', hostId: A, publishes });
  return [a, b];
}

/** The events of a run, as its host tells them to its operator. */
export async function eventsOf(host: TestHost, runId: string): Promise<readonly RunEvent[]> {
  const { body } = await host.get(`/v1/runs/${runId}/events/poll?limit=1000`);
  return body.events;
}
