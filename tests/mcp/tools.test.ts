import { publicKey, verifiesStatement } from '@baton/engine';
import { digest, HANDOFF_EXTENSION, type ResultStatement } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { startTestHost } from '../http/host.ts';
import { connect, dataIn, ERAS, runIn } from './mcp-client.ts';

const PUBLISHED = [
  'quick',
  'echo',
  'slow',
  'short-wait',
  'doomed',
  'gate',
  'question',
  'delivery',
  'strict-gate',
];

const host = await startTestHost({ publish: [...PUBLISHED, 'unregistered'], hostId: 'here' });
afterAll(() => host.stop());

/** Resolves when the run of the workflow has reached a status. */
async function runOf(workflowId: string, status: string): Promise<{ runId: string; traceparent?: string }> {
  for (;;) {
    const { body } = await host.get(`/v1/runs?workflowId=${workflowId}&status=${status}`);
    const [found] = body.runs;
    if (found) return (await host.get(`/v1/runs/${found.runId}`)).body;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe.each(ERAS)('the official client of %s', (era) => {
  it('lists the published workers and the tools for runs', async () => {
    const { client } = await connect(host.url, { era });
    const { tools } = await client.listTools();
    const own = ['baton_start', 'baton_get', 'baton_answer', 'baton_cancel'];
    expect(tools.map(({ name }) => name)).toEqual([...PUBLISHED, ...own]);
    const echo = tools.find(({ name }) => name === 'echo');
    expect(echo?.inputSchema).toEqual({ type: 'object', properties: { payload: {} } });
    await client.close();
  });

  it('calls a tool, and the result is the outputs of its run with a signed statement', async () => {
    const { client } = await connect(host.url, { era });
    const outputs = { payload: { n: 1 } };
    const result = await client.callTool({ name: 'echo', arguments: outputs });
    expect(result.isError).toBeFalsy();
    expect(dataIn(result)).toEqual(outputs);
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(outputs) }]);
    const statement = result._meta?.[HANDOFF_EXTENSION] as ResultStatement;
    expect(statement).toMatchObject({ hostId: 'here', status: 'completed', checksum: digest(outputs) });
    const { body } = await host.get('/.well-known/openwop');
    const spki = body.auth.auditLogIntegrity.checkpointPublicKey;
    const key = publicKey(`-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----`, 'the test');
    expect(verifiesStatement(key, statement)).toBe(true);
    await client.close();
  });

  it('is told why a run failed, and nothing else', async () => {
    const { client } = await connect(host.url, { era });
    const result = await client.callTool({ name: 'doomed', arguments: {} });
    expect(result.isError).toBe(true);
    expect(dataIn(result)).toMatchObject({ error: { code: 'it_broke', message: 'as it was told to' } });
    await client.close();
  });

  it('is told the progress of the run', async () => {
    const { client } = await connect(host.url, { era });
    const told: { progress: number; message?: string }[] = [];
    await client.callTool({ name: 'short-wait' }, { onprogress: (progress) => told.push(progress) });
    expect(told.length).toBeGreaterThan(0);
    expect(told[0]?.message).toMatch(/^node\.\w+ wait$/);
    const numbers = told.map(({ progress }) => progress);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    await client.close();
  });

  it('cancels a call, and with it the run', async () => {
    const { client } = await connect(host.url, { era });
    const cancel = new AbortController();
    const called = client.callTool({ name: 'slow' }, { signal: cancel.signal });
    const { runId } = await runOf('slow', 'running');
    cancel.abort();
    await expect(called).rejects.toThrow();
    await eventually(async () => {
      expect((await host.get(`/v1/runs/${runId}`)).body.status).toBe('cancelled');
    });
    await client.close();
  });

  it('starts a run without waiting, reads it, answers it and cancels another one', async () => {
    const { client } = await connect(host.url, { era });
    const call = async (name: string, args: Record<string, unknown>) =>
      dataIn(await client.callTool({ name, arguments: args }));
    const { runId } = await call('baton_start', { worker: 'question' });
    await host.get(`/v1/runs/${runId}/events/poll?timeout=5`);
    const asked = await call('baton_get', { runId });
    expect(asked).toMatchObject({ status: 'waiting-input', interrupt: { kind: 'clarification' } });
    const { interruptId } = asked.interrupt;
    const unnamed = { runId, answer: { q1: 'blue' } };
    expect((await client.callTool({ name: 'baton_answer', arguments: unnamed })).isError).toBe(true);
    const answered = await call('baton_answer', { ...unnamed, interruptId });
    expect(answered).toMatchObject({ runId, status: 'completed', outputs: {} });
    const again = await client.callTool({
      name: 'baton_answer',
      arguments: { runId, interruptId, answer: {} },
    });
    expect(again.isError).toBe(true);
    const slow = await call('baton_start', { worker: 'slow' });
    expect(slow).toMatchObject({ status: 'running' });
    expect(await call('baton_cancel', { runId: slow.runId })).toMatchObject({ status: 'cancelled' });
    await client.close();
  });

  it('answers questions of the run with forms', async () => {
    const fillIn = () => ({ action: 'accept', content: { action: 'accept' } }) as const;
    const approver = await connect(host.url, { era, fillIn });
    const approved = await approver.client.callTool({ name: 'gate' });
    expect(approver.forms).toMatchObject([
      { message: 'Ship it?', requestedSchema: { properties: { action: { enum: ['accept', 'reject'] } } } },
    ]);
    expect(approved._meta?.['dev.baton/run']).toMatchObject({ status: 'completed' });
    await approver.client.close();

    const speaker = await connect(host.url, {
      era,
      fillIn: () => ({ action: 'accept', content: { q1: 'blue' } }),
    });
    const told = await speaker.client.callTool({ name: 'question' });
    expect(speaker.forms).toHaveLength(1);
    expect(told._meta?.['dev.baton/run']).toMatchObject({ status: 'completed' });
    await speaker.client.close();
  });

  it('gets the run back when a form is declined or cannot settle the question', async () => {
    const decliner = await connect(host.url, { era, fillIn: () => ({ action: 'decline' }) });
    const declined = await decliner.client.callTool({ name: 'gate' });
    expect(dataIn(declined)).toMatchObject({ status: 'waiting-approval', interrupt: { kind: 'approval' } });
    await decliner.client.close();

    const fillIn = () => ({ action: 'accept', content: { action: 'accept' } }) as const;
    const voter = await connect(host.url, { era, fillIn });
    const voted = await voter.client.callTool({ name: 'strict-gate' });
    expect(dataIn(voted)).toMatchObject({ status: 'waiting-approval' });
    expect(JSON.stringify(voted.content)).toContain('waits for more answers');
    expect(voter.forms).toHaveLength(1);
    await voter.client.close();
  });

  it('gets the run back when it cannot be asked', async () => {
    const { client } = await connect(host.url, { era });
    const result = await client.callTool({ name: 'gate' });
    expect(result.isError).toBeFalsy();
    const { runId, status, interrupt } = dataIn(result);
    expect(status).toBe('waiting-approval');
    const answer = { action: 'accept', voter: 'somebody else' };
    const { interruptId } = interrupt;
    await client.callTool({ name: 'baton_answer', arguments: { runId, interruptId, answer } });
    const { body } = await host.get(`/v1/runs/${runId}/events/poll`);
    expect(JSON.stringify(body)).not.toContain('somebody else');
    const delivery = await client.callTool({ name: 'delivery' });
    expect(dataIn(delivery)).toMatchObject({ interrupt: { kind: 'external-event' } });
    await client.close();
  });

  it('XHOST-06 hands its trace context over, in the header or in the metadata', async () => {
    const header = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const own = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;
    const { client } = await connect(host.url, { era, headers: { traceparent: header } });
    const traceOf = async (meta: object) => {
      const result = await client.callTool({ name: 'quick', _meta: { ...meta } });
      const { runId } = runIn(result);
      const { traceparent, traceId } = (await host.get(`/v1/runs/${runId}`)).body;
      expect(traceparent).toContain(traceId);
      return traceparent as string;
    };
    expect(await traceOf({})).toBe(header);
    expect(await traceOf({ traceparent: own })).toBe(own);
    expect(await traceOf({ traceparent: 'nonsense' })).toBe(header);
    await client.close();
  });

  it('starts one run for calls with the same key', async () => {
    const { client } = await connect(host.url, { era });
    const _meta = { 'dev.baton/idempotencyKey': `key of ${era}` };
    const call = (args: object) => client.callTool({ name: 'echo', arguments: { ...args }, _meta });
    const first = await call({ payload: { n: 1 } });
    const second = await call({ payload: { n: 1 } });
    expect(second._meta?.['dev.baton/run']).toEqual(first._meta?.['dev.baton/run']);
    const other = await call({ payload: { n: 2 } });
    expect(dataIn(other)).toMatchObject({ error: { code: 'idempotency_key_mismatch' } });
    await client.close();
  });

  it('cannot use workers that are not published', async () => {
    const { client } = await connect(host.url, { era });
    await expect(client.callTool({ name: 'parent' })).rejects.toThrow(/no tool "parent"/);
    await expect(client.callTool({ name: 'unregistered' })).rejects.toThrow(/no tool/);
    const started = await client.callTool({ name: 'baton_start', arguments: { worker: 'parent' } });
    expect(started.isError).toBe(true);
    expect(dataIn(started).error.message).toContain('"parent" is not published to this caller');
    await client.close();
  });
});
