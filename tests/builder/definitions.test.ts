import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connectTools, readAgentsFolder, resolveAgent } from '@baton/agents';
import { readTools } from '@baton/agents/tools-file';
import {
  agentFiles,
  defineAgent,
  defineTool,
  type StandardSchema,
  serveTools,
  ToolRefusal,
  toolsFile,
  validateAgent,
} from '@baton/client/builder';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { emptyFolder } from '../empty-folder.ts';

/** Agents and tools that were defined are what a host can use. */

const refund = defineTool({
  server: 'shop',
  name: 'refund',
  description: 'Pays money back to the customer.',
  input: z.object({ order: z.string().describe('Its number'), amount: z.number().positive() }),
  approval: true,
  repeatable: 'no',
  scopes: ['runs:create'],
  run({ order, amount }) {
    if (amount > 100) throw new ToolRefusal('At most 100 can be refunded.');
    if (amount === 66) throw new Error('password=hunter2');
    return { order, refunded: amount };
  },
});

const find = defineTool({
  server: 'shop',
  name: 'find',
  description: 'Finds an order.',
  input: { type: 'object', required: ['order'], properties: { order: { type: 'string' } } },
  readOnly: true,
  run: (input) => ({ found: input as object }),
});

describe('a tool', () => {
  it('has the JSON Schema of its arguments, by the means of its library', () => {
    expect(refund).toMatchObject({
      id: 'mcp:shop/refund',
      parameters: {
        type: 'object',
        required: ['order', 'amount'],
        properties: {
          order: { type: 'string', description: 'Its number' },
          amount: { type: 'number', exclusiveMinimum: 0 },
        },
      },
    });
    expect(refund.parameters).not.toHaveProperty('$schema');
    expect(find).toMatchObject({ repeatable: 'yes', readOnly: true });
  });

  const vendor = (more: object): StandardSchema<{ a: string }> => ({
    '~standard': { version: 1, vendor: 'acme', validate: (value) => ({ value: value as { a: string } }) },
    ...more,
  });
  const tool = (input: Parameters<typeof defineTool>[0]['input']) =>
    defineTool({ server: 's', name: 't', description: 'x', input, run: (given) => given });
  const JSON_SCHEMA = { type: 'object', properties: { a: { type: 'string' } } };

  it.each([
    ['its method', vendor({ toJsonSchema: () => JSON_SCHEMA })],
    ['the JSON Schema beside it', { schema: vendor({}), jsonSchema: JSON_SCHEMA }],
  ])('takes a schema of any library with %s', async (_, input) => {
    expect(tool(input).parameters).toEqual(JSON_SCHEMA);
    expect(await tool(input).call({ a: 'x' })).toEqual({ a: 'x' });
  });

  it('says what to do about a schema that cannot be converted or used', () => {
    expect(() => tool(vendor({}))).toThrow(/"acme", which does not convert.*\{ schema, jsonSchema \}/);
    expect(() => tool(z.string())).toThrow(/arguments of the tool "t" have to be an object/);
    expect(() => tool({ type: 'object', properties: { a: { type: 'texts' } } })).toThrow(
      /tool t has a schema/,
    );
    expect(() => defineTool({ ...refund, input: {}, server: 'baton', run: () => null })).toThrow(
      /server "baton"/,
    );
    expect(() => defineTool({ ...refund, input: {}, name: 'a b', run: () => null })).toThrow(/tool "a b"/);
  });

  it('refuses arguments that do not fit, with the fields', async () => {
    await expect(refund.call({ order: 7 })).rejects.toThrow(/order: .*; amount: /);
  });
});

describe('a server of tools', () => {
  async function asked(...messages: readonly unknown[]) {
    const told: unknown[] = [];
    async function* input() {
      yield* messages.map((message) => (typeof message === 'string' ? message : JSON.stringify(message)));
    }
    await serveTools([refund, find], { input: input(), write: (line) => void told.push(JSON.parse(line)) });
    return told;
  }
  const call = (args: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'refund', arguments: args },
  });
  const text = (words: string, more = {}) => [
    { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: words }], ...more } },
  ];

  it('tells the words of the author, and nothing of other exceptions', async () => {
    expect(await asked(call({ order: 'A', amount: 5 }))).toEqual(
      text('{"order":"A","refunded":5}', { structuredContent: { order: 'A', refunded: 5 } }),
    );
    expect(await asked(call({ order: 'A', amount: 500 }))).toEqual(
      text('At most 100 can be refunded.', { isError: true }),
    );
    expect(await asked(call({ order: 'A', amount: 66 }))).toEqual(
      text('The tool failed because of a defect.', { isError: true }),
    );
    expect(JSON.stringify(await asked(call({})))).toContain('The arguments are not valid: order: ');
  });

  it('answers what it does not know, and is silent on notices', async () => {
    expect(
      await asked('not json', '', { jsonrpc: '2.0', method: 'notifications/initialized' }),
    ).toMatchObject([{ error: { code: -32_700 } }]);
    expect(await asked({ jsonrpc: '2.0', id: 2, method: 'prompts/list' })).toMatchObject([
      { id: 2, error: { code: -32_601 } },
    ]);
    expect(await asked({ ...call({}), params: { name: 'gone' } })).toEqual(
      text('There is no tool gone.', { isError: true }),
    );
  });

  it('is started and called by a host, as its file says', async () => {
    const folder = emptyFolder();
    const builder = pathToFileURL(join(import.meta.dirname, '../../packages/client/dist/builder/index.js'));
    writeFileSync(
      join(folder, 'shop.mjs'),
      `import { defineTool, serveTools } from '${builder.href}';
       await serveTools([defineTool({
         server: 'shop', name: 'refund', description: 'Pays.', repeatable: 'no', approval: true,
         input: { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } },
         run: ({ amount }) => ({ refunded: amount }),
       })]);`,
    );
    const file = toolsFile({ shop: { command: 'node', args: ['shop.mjs'], tools: [refund] } });
    expect(file).toEqual({
      mcp: {
        shop: {
          command: 'node',
          args: ['shop.mjs'],
          approval: ['refund'],
          repeatable: { refund: 'no' },
          scopes: { refund: ['runs:create'] },
        },
      },
    });
    const text = JSON.stringify({ mcp: { shop: { ...file.mcp.shop, folder } } });
    const read = readTools({ name: 'tools.json', text }, {});
    if ('problem' in read) throw new Error(read.problem);
    const tools = connectTools(read.config, { secretOf: () => undefined, log: { warn: () => undefined } });
    onTestFinished(() => tools.stop());
    const surface = await tools.surface('acme', ['mcp:shop/*']);
    expect(surface.tools).toMatchObject([
      { id: 'mcp:shop/refund', approval: 'always', repeatable: 'no', scopes: ['runs:create'] },
    ]);
    const calling = { tenant: 'acme', principal: 'ana', key: 'k', signal: new AbortController().signal };
    expect(await tools.call({ id: 'mcp:shop/refund', input: { amount: 5 }, ...calling })).toMatchObject({
      status: 'ok',
      output: { refunded: 5 },
    });
  });

  it('ends when its input is closed', async () => {
    const builder = join(import.meta.dirname, '../../packages/client/dist/builder/index.js');
    const child = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `import { serveTools } from ${JSON.stringify(pathToFileURL(builder).href)}; await serveTools([]);`,
    ]);
    child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    const [told] = await once(child.stdout, 'data');
    expect(JSON.parse(String(told))).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('is not written into a file under the name of another one', () => {
    expect(() => toolsFile({ store: { command: 'node', tools: [refund] } })).toThrow(
      /tool "refund" belongs to the server "shop", not to "store"/,
    );
  });
});

describe('an agent', () => {
  const writer = defineAgent({
    id: 'local.desk.writer',
    persona: 'Writer',
    description: 'Writes.',
    modelClass: 'writing',
    prompt: 'Write.',
    task: z.object({ question: z.string() }),
    result: z.object({ report: z.string() }),
    tools: [refund, 'baton:calculate'],
    critic: { run: 'local.desk.critic', criteria: ['short'], maxRevisions: 2 },
    toolCritics: { 'mcp:shop/refund': { run: 'guard', criteria: ['fair'] } },
    temperature: 0.2,
    script: [{ json: { report: 'x' } }],
  });

  it('is what POST /v1/agents takes', () => {
    expect(resolveAgent(JSON.parse(JSON.stringify(writer)))).toMatchObject({
      agentId: 'local.desk.writer',
      systemPrompt: 'Write.',
      toolAllowlist: ['mcp:shop/refund', 'baton:calculate'],
      temperature: 0.2,
      taskSchema: { type: 'object', required: ['question'] },
      returnSchema: { type: 'object', required: ['report'] },
      verifier: { workflowId: 'local.desk.critic', criteria: ['short'], maxRevisions: 2 },
      toolVerifiers: { 'mcp:shop/refund': { workflowId: 'guard', criteria: ['fair'] } },
      script: [{ json: { report: 'x' } }],
    });
  });

  it('is what a folder of agents holds', () => {
    const folder = emptyFolder();
    for (const [path, text] of Object.entries(agentFiles(writer))) {
      mkdirSync(join(folder, 'writer', path, '..'), { recursive: true });
      writeFileSync(join(folder, 'writer', path), text);
    }
    expect(readAgentsFolder(folder).map(({ agent }) => agent)).toEqual([resolveAgent(writer.toJSON())]);
  });

  it('is checked with the rules of a host', async () => {
    expect(await validateAgent(writer)).toEqual({ valid: true, warnings: [] });
    const self = defineAgent({
      id: 'local.desk.self',
      persona: 'Self',
      modelClass: 'general',
      prompt: 'x',
      critic: 'local.desk.self',
    });
    expect(await validateAgent(self)).toMatchObject({
      valid: false,
      field: 'manifest.baton.verifier.workflowId',
      problem: expect.stringContaining('is the agent itself'),
    });
  });
});
