import { createRequire } from 'node:module';
import { readTools } from '@baton/agents/tools-file';
import { afterEach, expect, it } from 'vitest';
import { connect, toolCall } from './connecting.ts';

/** A tools file, as an operator writes one, up to calls of its tools. */

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

it('connects what a file names', async () => {
  const program = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/dist/index.js',
  );
  const content = {
    mcp: {
      all: {
        command: process.execPath,
        args: [program, 'stdio'],
        env: { GREETING: { env: 'GREETING' } },
        approval: ['get-sum'],
        repeatable: { echo: 'no' },
        scopes: { '*': ['runs:read'], 'get-sum': ['workspace:write'] },
      },
    },
    limits: { 'mcp:all/echo': { calls: 1, perSeconds: 3600 } },
  };
  const file = { name: 'tools.json', text: JSON.stringify(content) };
  const reading = readTools(file, { GREETING: 'Good morning' });
  if ('problem' in reading) throw new Error(reading.problem);
  const { tools } = connect(reading.config);
  stopping.push(() => tools.stop());
  const surface = await tools.surface('acme', ['mcp:all/echo', 'mcp:all/get-sum', 'baton:time']);
  expect(surface).toMatchObject({
    tools: [
      { id: 'baton:time' },
      { id: 'mcp:all/echo', repeatable: 'no', scopes: ['runs:read'] },
      { id: 'mcp:all/get-sum', approval: 'always', scopes: ['runs:read', 'workspace:write'] },
    ],
    degraded: [],
  });
  expect(surface.tools[1]).not.toHaveProperty('approval');
  const echo = toolCall('mcp:all/echo', { message: 'Tides' });
  await expect(tools.call(echo)).resolves.toEqual({ status: 'ok', output: 'Echo: Tides' });
  await expect(tools.call(echo)).resolves.toMatchObject({ status: 'rate_limited' });
  const env = (await tools.call(toolCall('mcp:all/get-env'))) as { output: string };
  // The value came from the environment in confidence, so it is hidden again.
  expect(JSON.parse(env.output)).toMatchObject({ GREETING: '[REDACTED]' });
});
