import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';
import { A, B, linkedHosts } from '../peers/two-hosts.ts';
import { verifies } from '../verifies.ts';
import { type ReceivedSpan, startCollector, traceSettings } from './collector.ts';

/** A run that hands work to another host is one trace, which both hosts send to one collector. */

interface Exported {
  readonly hostId: string;
  readonly span: ReceivedSpan;
}

interface Message {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: ReceivedSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

/** The spans of a message, with the host that its resource names. */
function spansIn(body: Buffer): readonly Exported[] {
  const { resourceSpans } = JSON.parse(body.toString()) as Message;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const name = resource.attributes.find(({ key }) => key === 'service.name');
    const hostId = String(name?.value.stringValue);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ hostId, span })));
  });
}

async function tracedHosts() {
  const collector = await startCollector();
  onTestFinished(collector.stop);
  const folder = emptyFolder();
  const hosts = await linkedHosts(join(folder, 'b'), (hostId) => ({
    traces: { ...traceSettings(collector.url), resource: { 'service.name': hostId } },
  }));
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= hosts.stop());
  onTestFinished(stop);
  return { hosts, stop, exported: () => collector.messages.flatMap(({ body }) => spansIn(body)) };
}

it.each([
  ['of its own', undefined],
  ['of its caller', '4bf92f3577b34da6a3ce929d0e0e4736'],
])('is one trace %s, and the run there is below a span of this host', async (_whose, given) => {
  verifies('XHOST-07', 'XHOST-17');
  const { hosts, stop, exported } = await tracedHosts();
  const headers = {
    prefer: 'wait=20',
    ...(given && { traceparent: `00-${given}-00f067aa0ba902b7-01` }),
  };
  const { body } = await hosts.a.post('/v1/runs', { workflowId: 'hand-shout' }, { headers });
  expect(body).toMatchObject({ status: 'completed', ...(given && { traceId: given }) });
  await stop();

  const all = exported();
  expect(new Set(all.map(({ span }) => span.traceId))).toEqual(new Set([body.traceId]));
  expect(new Set(all.map(({ span }) => span.spanId)).size).toBe(all.length);
  const named = (hostId: string, name: string) =>
    all.find((one) => one.hostId === hostId && one.span.name === name)?.span;
  const above = (span: ReceivedSpan | undefined) =>
    all.find((one) => one.hostId === A && one.span.spanId === span?.parentSpanId)?.span;
  const remote = named(B, 'invoke_workflow shout');
  const names: (string | undefined)[] = [];
  for (let span = above(remote); span !== undefined; span = above(span)) names.push(span.name);
  expect(names).toEqual([
    'effect peer.send',
    'node remote',
    'invoke_workflow peer:b/shout',
    'handoff peer:b/shout',
    'node hand',
    'invoke_workflow hand-shout',
  ]);
  expect(named(B, 'node say')?.parentSpanId).toBe(remote?.spanId);

  const sent = [...hosts.toB.passed, ...hosts.toA.passed];
  expect(new Set(sent.map(({ name }) => name.replace(/pushed\/.*/, 'pushed')))).toEqual(
    new Set(['/.well-known/agent-card.json', 'SendMessage', 'GetTask', '/v1/a2a/pushed']),
  );
  for (const {
    name,
    headers: { traceparent = '' },
  } of sent) {
    expect(traceparent.slice(3, 35), name).toBe(body.traceId);
    const spanId = traceparent.slice(36, 52);
    expect(
      all.some(({ span }) => span.spanId === spanId),
      `${name} names a span`,
    ).toBe(true);
  }
});
