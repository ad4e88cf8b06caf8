import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, mcpServer, stdio, toolCall } from './connecting.ts';

/** A server that lies, floods, hangs and repeats what it was told in confidence. */

const CANARY = 'canary-93ab77e1';
const SCRIPT = fileURLToPath(new URL('hostile-server.mjs', import.meta.url));
const connection = {
  ...stdio([SCRIPT]),
  env: { HOSTILE_TOKEN: { kind: 'env', text: CANARY, prefix: '' } },
} as const;
const { tools, logged } = connect({
  mcp: [mcpServer('hostile', connection, { timeoutMs: 1_000 }), mcpServer('patient', connection)],
});
const call = (name: string, input = {}) => tools.call(toolCall(`mcp:hostile/${name}`, input));
const error = (code: string, message: unknown = expect.any(String)) => ({
  status: 'error',
  error: { code, message },
});

beforeAll(() => tools.surface('acme', ['mcp:*']));
afterAll(() => tools.stop());

describe('a hostile server', () => {
  it('lists its usable tools, each once, and the others are left out and named', async () => {
    const surface = await tools.surface('acme', ['mcp:hostile/*']);
    const ids = surface.tools.map(({ id }) => id.slice('mcp:hostile/'.length));
    expect(ids).toEqual(
      [
        'fine',
        'läs/fil',
        'broken-output',
        'huge',
        'endless',
        'hang',
        'throw',
        'reports',
        'wrong-content',
        'no-object',
        'declares',
        'proto',
        'env',
        'inject',
        'meta',
      ].sort((one, other) => (`${one}` < other ? -1 : 1)),
    );
    for (const { name } of surface.tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(surface.tools.find(({ id }) => id.endsWith('/fine'))?.description).toHaveLength(4000);
    const [health] = tools.health();
    expect(health?.problems).toContainEqual(expect.stringMatching(/named fine, like another/));
    expect(health?.problems).toContainEqual(expect.stringMatching(/no name, or one with spaces/));
    expect(health?.problems).toContainEqual(expect.stringMatching(/broken-schema cannot be used/));
  });

  it('LIVE-07 has no tool that passes for all of them', async () => {
    const surface = await tools.surface('acme', ['mcp:hostile/fine']);
    expect(surface.tools.map(({ id }) => id)).toEqual(['mcp:hostile/fine']);
    await expect(call('*')).resolves.toMatchObject(error('tool_not_found'));
  });

  it('is called under an odd name', async () => {
    await expect(call('läs/fil')).resolves.toEqual({ status: 'ok', output: 'läst' });
  });

  it('answers with too much, which is cut with a note', async () => {
    const result = (await call('huge')) as { output: string };
    expect(result.output).toMatch(/^é{32768}\n\[The result was cut\. It has 200000 characters/);
  });

  it('never answers, which ends with a time-out', async () => {
    await expect(call('hang')).resolves.toEqual(error('tool_timeout'));
  });

  it('throws, and its words are passed on in part', async () => {
    const result = (await call('throw')) as { error: { message: string } };
    expect(result).toMatchObject(
      error('tool_failed', expect.stringMatching(/^The MCP server refused the call: /)),
    );
    expect(result.error.message.length).toBeLessThan(2_100);
    await expect(call('reports')).resolves.toEqual(
      error('tool_failed', 'The tool reports a failure: no such ticket'),
    );
  });

  it('answers with what is no result', async () => {
    await expect(call('wrong-content')).resolves.toEqual(error('tool_result_invalid'));
    // This is not even a message of the protocol, so the call goes on waiting.
    await expect(call('no-object')).resolves.toEqual(error('tool_timeout'));
    await expect(call('proto')).resolves.toEqual({ status: 'ok', output: {} });
    expect(({} as { polluted?: boolean }).polluted).toBe(undefined);
  });

  it('answers in another form than it declares', async () => {
    await expect(call('declares', { sum: 3 })).resolves.toEqual({ status: 'ok', output: { sum: 3 } });
    await expect(call('declares', { sum: 'three' })).resolves.toEqual(
      error('tool_result_invalid', 'The result of the tool is not of the form that it declares (sum).'),
    );
    await expect(call('broken-output')).resolves.toEqual({ status: 'ok', output: 'as text' });
  });

  it('floods the host, which ends the connection and makes another', async () => {
    await expect(tools.call(toolCall('mcp:patient/endless'))).resolves.toMatchObject(
      error('tool_outcome_unknown'),
    );
    await expect(tools.call(toolCall('mcp:patient/fine'))).resolves.toEqual({ status: 'ok', output: 'fine' });
  });

  it('repeats a confidential value, which is hidden', async () => {
    const result = await call('env');
    expect(JSON.stringify(result)).toContain('[REDACTED]');
    expect(JSON.stringify([result, logged, tools.health()])).not.toContain(CANARY);
  });

  it('is told the trace context in the metadata, because stdio has no headers', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const result = await tools.call(toolCall('mcp:hostile/meta', {}, { traceparent }));
    expect(JSON.stringify(result)).toContain(traceparent);
  });

  it('LIVE-07 asks for other tools, which changes nothing', async () => {
    await expect(call('inject')).resolves.toMatchObject({
      status: 'ok',
      output: expect.stringContaining('Ignore'),
    });
    const surface = await tools.surface('acme', ['mcp:hostile/fine']);
    expect(surface).toMatchObject({ tools: [{ id: 'mcp:hostile/fine' }], degraded: [] });
    for (const id of [
      'mcp:hostile/hidden',
      'mcp:hostile/fine ',
      'hostile_fine',
      'fine',
      'MCP:hostile/fine',
      'mcp:Hostile/fine',
    ]) {
      await expect(tools.call(toolCall(id))).resolves.toMatchObject(error('tool_not_found'));
    }
  });
});
