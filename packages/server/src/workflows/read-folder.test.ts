import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readWorkflowsFolder } from './read-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-workflows-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(path: string, content: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

it('finds the workflows of a folder and of its subfolders, and leaves agents and other files alone', () => {
  put('b.json', '{"id": "b"}');
  put('a.json', '{"id": "a"}');
  put('clerk.json', '{"agentId": "local.desk.clerk"}');
  put('notes.md', 'Notes.');
  put('team/workflow.json', '{"id": "team"}');
  put('team/second.workflow.json', '{"id": "second"}');
  put('team/tools.json', '{"mcp": {}}');
  put('team/deeper/workflow.json', '{"id": "deeper"}');
  expect(readWorkflowsFolder(folder)).toEqual([
    { source: join(folder, 'a.json'), definition: { id: 'a' } },
    { source: join(folder, 'b.json'), definition: { id: 'b' } },
    { source: join(folder, 'team/second.workflow.json'), definition: { id: 'second' } },
    { source: join(folder, 'team/workflow.json'), definition: { id: 'team' } },
  ]);
});

it('names the file that is not JSON', () => {
  put('team/workflow.json', '{');
  expect(() => readWorkflowsFolder(folder)).toThrow(
    `${join(folder, 'team/workflow.json')} is not valid JSON`,
  );
});
