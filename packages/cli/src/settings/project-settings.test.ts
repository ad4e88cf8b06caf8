import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withProject } from './project-settings.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-project-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const state = (baton: unknown) => writeFileSync(join(folder, 'package.json'), JSON.stringify({ baton }));

it('takes the folders that the package.json of the project states', () => {
  state({ workflows: 'flows', agents: './agents' });
  expect(withProject({ PATH: 'x' }, {}, folder)).toEqual({
    PATH: 'x',
    BATON_WORKFLOWS: join(folder, 'flows'),
    BATON_AGENTS: join(folder, 'agents'),
  });
});

it('lets a variable and a flag come first', () => {
  state({ workflows: 'flows', agents: 'agents' });
  expect(withProject({ BATON_WORKFLOWS: 'mine' }, { agents: 'mine' }, folder)).toEqual({
    BATON_WORKFLOWS: 'mine',
  });
});

it('changes nothing in a folder that is no project', () => {
  expect(withProject({}, {}, folder)).toEqual({});
  writeFileSync(join(folder, 'package.json'), 'not JSON');
  expect(withProject({}, {}, folder)).toEqual({});
  state(undefined);
  expect(withProject({}, {}, folder)).toEqual({});
});

it('refuses a setting that a project cannot have, and a value that is no path', () => {
  state({ workflow: 'flows' });
  expect(() => withProject({}, {}, folder)).toThrow('baton.workflow is not a setting of a project');
  state({ workflows: 7 });
  expect(() => withProject({}, {}, folder)).toThrow('baton.workflows is not the name of a file or folder');
});
