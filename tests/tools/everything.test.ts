import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { connect, mcpServer, stdio, toolCall, until } from './connecting.ts';
import { type EverythingHttp, startEverything } from './everything.ts';

/** The reference MCP server, over both transports, killed and started again. */

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

function connected(...given: Parameters<typeof connect>) {
  const made = connect(...given);
  ending.push(() => made.tools.stop());
  return made.tools;
}

const ECHO = toolCall('mcp:all/echo', { message: 'Hello' });
const ECHOED = { status: 'ok', output: 'Echo: Hello' };
const LONG = 'mcp:all/trigger-long-running-operation';
const UNKNOWN = { status: 'error', error: { code: 'tool_outcome_unknown' } };

/** By its annotations the tool may be repeated; the operator says otherwise. */
const NOT_AGAIN = { repeatable: { 'trigger-long-running-operation': 'no' } } as const;

function everythingOverStdio() {
  const folder = mkdtempSync(join(tmpdir(), 'baton-mcp-'));
  ending.push(() => rmSync(folder, { recursive: true }));
  const pidFile = join(folder, 'pid');
  const block = join(folder, 'block');
  const script = fileURLToPath(new URL('everything-stdio.mjs', import.meta.url));
  const pid = () => Number(readFileSync(pidFile, 'utf8'));
  return {
    connection: stdio([script, pidFile, block]),
    pid,
    kill: () => process.kill(pid(), 'SIGKILL'),
    block: () => writeFileSync(block, ''),
    unblock: () => rmSync(block),
  };
}

async function everything(port?: number): Promise<EverythingHttp> {
  const server = await startEverything(port);
  ending.push(() => server.kill());
  return server;
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('over stdio', () => {
  it('lists tools, calls them and ends the process', async () => {
    const server = everythingOverStdio();
    const tools = connected({ mcp: [mcpServer('all', server.connection)] });
    const surface = await tools.surface('acme', ['mcp:all/echo', 'mcp:all/get-s*']);
    expect(surface.degraded).toEqual([]);
    expect(surface.tools.map(({ id, name, transport }) => [id, name, transport])).toEqual([
      ['mcp:all/echo', 'all_echo', 'mcp'],
      ['mcp:all/get-structured-content', 'all_get-structured-content', 'mcp'],
      ['mcp:all/get-sum', 'all_get-sum', 'mcp'],
    ]);
    await expect(tools.call(ECHO)).resolves.toEqual(ECHOED);
    const structured = toolCall('mcp:all/get-structured-content', { location: 'New York' });
    await expect(tools.call(structured)).resolves.toMatchObject({
      status: 'ok',
      output: { temperature: expect.any(Number) },
    });
    expect(await tools.call(toolCall('mcp:all/get-tiny-image'))).toMatchObject({
      status: 'ok',
      output: expect.arrayContaining([{ leftOut: 'image', mimeType: 'image/png' }]),
    });
    const pid = server.pid();
    expect(isAlive(pid)).toBe(true);
    await tools.stop();
    await expect(
      until(
        () => isAlive(pid),
        (alive) => !alive,
      ),
    ).resolves.toBe(false);
    expect(tools.health()).toMatchObject([{ server: 'all', status: 'away' }]);
  });

  it('gives the process named environment variables only', async () => {
    const { connection } = everythingOverStdio();
    const env = { NAMED: { kind: 'plain', text: 'given' } } as const;
    process.env.NOT_NAMED_BY_THE_FILE = 'kept';
    ending.push(() => delete process.env.NOT_NAMED_BY_THE_FILE);
    const tools = connected({ mcp: [mcpServer('all', { ...connection, env })] });
    const result = await tools.call(toolCall('mcp:all/get-env'));
    const names = Object.keys(JSON.parse((result as { output: string }).output) as object);
    expect(names).toContain('NAMED');
    const known = ['HOME', 'LOGNAME', 'NAMED', 'PATH', 'SHELL', 'TERM', 'USER'];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('shows a killed server as degraded and connects it again', async () => {
    const server = everythingOverStdio();
    const tools = connected({ mcp: [mcpServer('all', server.connection)] });
    const allowed = ['mcp:all/echo', 'mcp:all/get-s*'];
    const whole = await tools.surface('acme', allowed);
    expect(whole.tools).toHaveLength(3);
    server.block();
    server.kill();
    const away = await until(
      () => tools.surface('acme', allowed),
      ({ degraded }) => degraded.length > 0,
    );
    expect(away).toEqual({
      tools: [],
      degraded: ['mcp:all/echo', 'mcp:all/get-structured-content', 'mcp:all/get-sum'],
    });
    expect(tools.health()).toMatchObject([{ status: 'away', tools: expect.any(Number) }]);
    await expect(tools.call(ECHO)).resolves.toMatchObject({
      status: 'error',
      error: { code: 'tool_unavailable' },
    });
    server.unblock();
    await expect(
      until(
        () => tools.surface('acme', allowed),
        ({ degraded }) => degraded.length === 0,
      ),
    ).resolves.toEqual(whole);
    await expect(tools.call(ECHO)).resolves.toEqual(ECHOED);
  });

  it('does not repeat a call that was lost, unless the tool may be repeated', async () => {
    const server = everythingOverStdio();
    const tools = connected({ mcp: [mcpServer('all', server.connection, NOT_AGAIN)] });
    await tools.surface('acme', ['mcp:all/*']);
    const long = tools.call(toolCall(LONG, { duration: 600, steps: 1 }));
    // The server reads calls in their order, so it has the first one when it answers the second.
    await tools.call(ECHO);
    server.kill();
    await expect(long).resolves.toMatchObject(UNKNOWN);
    await expect(tools.call(ECHO)).resolves.toEqual(ECHOED);
  });

  it('repeats a lost call once if the server says that the tool may be repeated', async () => {
    const server = everythingOverStdio();
    const tools = connected({ mcp: [mcpServer('all', server.connection)] });
    await tools.surface('acme', ['mcp:all/*']);
    const long = tools.call(toolCall(LONG, { duration: 1, steps: 1 }));
    await tools.call(ECHO);
    server.kill();
    await expect(long).resolves.toMatchObject({ status: 'ok', output: expect.stringContaining('completed') });
  });
});

describe('over HTTP', () => {
  const over = ({ url }: EverythingHttp) => ({ kind: 'http', url, headers: {} }) as const;

  it('lists tools, calls them, and reports failures', async () => {
    const tools = connected({ mcp: [mcpServer('all', over(await everything()))] });
    const surface = await tools.surface('acme', ['mcp:all/echo']);
    expect(surface).toMatchObject({ tools: [{ id: 'mcp:all/echo' }], degraded: [] });
    await expect(tools.call(ECHO)).resolves.toEqual(ECHOED);
    await expect(tools.call(toolCall('mcp:all/nothing'))).resolves.toMatchObject({
      status: 'error',
      error: { code: 'tool_not_found' },
    });
  });

  it('shows a killed server as degraded, fails the call in flight, and connects again', async () => {
    const server = await everything();
    const tools = connected({ mcp: [mcpServer('all', over(server), NOT_AGAIN)] });
    const allowed = ['mcp:all/echo', LONG];
    const whole = await tools.surface('acme', allowed);
    const long = tools.call(toolCall(LONG, { duration: 600, steps: 1 }));
    await tools.call(ECHO);
    await server.kill();
    await expect(long).resolves.toMatchObject(UNKNOWN);
    const away = await until(
      () => tools.surface('acme', allowed),
      ({ degraded }) => degraded.length > 0,
    );
    expect(away).toEqual({ tools: [], degraded: allowed });
    await everything(server.port);
    await expect(
      until(
        () => tools.surface('acme', allowed),
        ({ degraded }) => degraded.length === 0,
      ),
    ).resolves.toEqual(whole);
    await expect(tools.call(ECHO)).resolves.toEqual(ECHOED);
  });

  it('calls a tool of a server that was restarted and does not know the session', async () => {
    const server = await everything();
    // No time passes, so only the call itself can find out.
    const still = { timers: { after: () => () => undefined } };
    const tools = connected({ mcp: [mcpServer('all', over(server), NOT_AGAIN)] }, still);
    await tools.surface('acme', ['mcp:all/*']);
    await server.kill();
    await everything(server.port);
    await expect(tools.call(ECHO)).resolves.toEqual(ECHOED);
    await expect(tools.call(ECHO)).resolves.toEqual(ECHOED);
  });
});
