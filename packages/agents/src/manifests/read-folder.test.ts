import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAgentsFolder } from './read-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-agents-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(path: string, content: unknown): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

const manifest = (agentId: string, more: object = {}) => ({
  agentId,
  persona: 'Clerk',
  modelClass: 'general',
  ...more,
});
const clerk = (more: object = {}) => manifest('local.desk.clerk', { systemPrompt: 'You count.', ...more });

const ids = () => readAgentsFolder(folder).map(({ agent }) => agent.agentId);

describe('a folder of agents', () => {
  it('may hold an agent with its prompts and schemas', () => {
    const handoff = { taskSchemaRef: 'schemas/task.json', returnSchemaRef: 'schemas/return.json' };
    put(
      'desk/reader/agent.json',
      manifest('local.desk.reader', { systemPromptRef: 'prompts/a.md', handoff }),
    );
    put('desk/reader/prompts/a.md', 'You read {{topic}}.');
    put('desk/reader/schemas/task.json', { type: 'object', required: ['topic'] });
    put('desk/reader/schemas/return.json', { type: 'object', required: ['notes'] });
    expect(readAgentsFolder(folder)).toMatchObject([
      {
        source: join(folder, 'desk/reader/agent.json'),
        agent: {
          agentId: 'local.desk.reader',
          systemPrompt: 'You read {{topic}}.',
          taskSchema: { required: ['topic'] },
          returnSchema: { required: ['notes'] },
        },
      },
    ]);
  });

  it('may hold a published pack, whose agents share its files, its name and its version', () => {
    const agents = ['local.pack.one', 'local.pack.two'].map((id) =>
      manifest(id, { systemPromptRef: 'prompts/shared.md' }),
    );
    put('pack/pack.json', { name: 'local.pack', version: '2.1.0', agents });
    put('pack/prompts/shared.md', 'You help.');
    expect(
      readAgentsFolder(folder).map(({ agent }) => [agent.agentId, agent.packName, agent.packVersion]),
    ).toEqual([
      ['local.pack.one', 'local.pack', '2.1.0'],
      ['local.pack.two', 'local.pack', '2.1.0'],
    ]);
  });

  it('may hold manifests without files, and workflows and other JSON beside them', () => {
    put('clerk.json', clerk());
    put('flow.json', { id: 'flow', nodes: [] });
    put('sub/workflow.json', { id: 'other', nodes: [] });
    put('sub/list.json', [1, 2]);
    put('sub/README.md', 'Read me.');
    put('.hidden/clerk.json', '{');
    put('node_modules/pack/clerk.json', '{');
    expect(ids()).toEqual(['local.desk.clerk']);
  });

  it('may be an agent itself', () => {
    put('agent.json', clerk());
    expect(ids()).toEqual(['local.desk.clerk']);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['JSON that is broken', { 'a/agent.json': '{"agentId"' }, /a\/agent\.json is not valid JSON/],
    ['a manifest with a mistake', { 'b.json': clerk({ persona: '' }) }, /b\.json: agent: manifest\.persona /],
    [
      'a prompt that is not there',
      { 'c/agent.json': manifest('local.desk.c', { systemPromptRef: 'none.md' }) },
      /c\/agent\.json: agent: manifest\.systemPromptRef names no file with text: "none\.md"/,
    ],
    ['a pack without agents', { 'd/pack.json': { name: 'd' } }, /d\/pack\.json has no list "agents"/],
    [
      'a mistake in one agent of a pack',
      { 'e/pack.json': { agents: [clerk(), {}] } },
      /e\/pack\.json \(agents\.1\): agent: manifest\./,
    ],
    [
      'the same agent twice',
      { 'f.json': clerk(), 'g.json': clerk() },
      /g\.json: the agentId "local\.desk\.clerk" is that of .*f\.json too; change one of them/,
    ],
  ])('names the file of %s', (_, files, message) => {
    for (const [path, content] of Object.entries(files)) put(path, content);
    expect(() => readAgentsFolder(folder)).toThrow(message);
  });
});
