import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CommandFailure } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { version } from '../version.ts';
import { projectFiles } from './project-files.ts';

/** Files that a new folder may hold already, such as those of git. */
const HARMLESS = new Set(['.git', '.DS_Store', 'LICENSE']);

/** Writes a new project into a folder that is empty or does not exist yet. */
export function initProject(folder: string, out: Output): ExitCode {
  const path = resolve(folder);
  refuseUsedFolder(path, folder);
  const files = projectFiles(projectName(path), version());
  for (const [name, text] of Object.entries(files)) {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    // With this flag an existing file is an error, also one that appeared a moment ago.
    writeFileSync(file, text, { flag: 'wx' });
  }
  const names = Object.keys(files);
  out.give({ folder: path, files: names }, nextSteps(folder, names));
  return EXIT.done;
}

function refuseUsedFolder(path: string, folder: string): void {
  if (!existsSync(path)) return;
  const hint = 'Name a folder that is empty or does not exist yet; nothing was written.';
  if (!statSync(path).isDirectory())
    throw new CommandFailure(`${folder} is a file.`, { code: 'conflict', hint });
  const used = readdirSync(path).filter((name) => !HARMLESS.has(name));
  if (used.length === 0) return;
  const shown = used.slice(0, 3).join(', ');
  const more = used.length > 3 ? ` and ${used.length - 3} more` : '';
  throw new CommandFailure(`The folder ${folder} is not empty: it has ${shown}${more}.`, {
    code: 'conflict',
    hint,
  });
}

/** The folder as a word of a shell. */
function quoted(folder: string): string {
  return /^[\w./~-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
}

/** The name of the folder, without the characters that a package name cannot have. */
function projectName(path: string): string {
  const name = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'demo' : name;
}

function nextSteps(folder: string, files: readonly string[]): string {
  return [
    ...files.map((name) => `  ${name}`),
    '',
    'Next:',
    ...(resolve(folder) === resolve('.') ? [] : [`  cd ${quoted(folder)}`]),
    '  npm test                        # the workflow with a scripted model, without a host',
    '  npm start                       # a host with the workflow and the agent',
    '  npx baton run brief --input topic=tides --watch    # in another terminal',
  ].join('\n');
}
