import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CommandFailure } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { version } from '../version.ts';

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

/** The files of a new project, by their paths. */
function projectFiles(name: string, version: string): Readonly<Record<string, string>> {
  return {
    'README.md': readme(name),
    'package.json': json({
      name,
      version: '0.1.0',
      private: true,
      type: 'module',
      scripts: {
        start: 'baton serve',
        test: 'node --test',
        validate: 'baton workflows validate workflows',
      },
      baton: { workflows: 'workflows', agents: 'agents' },
      engines: { node: '>=20.19' },
      devDependencies: { '@baton/cli': version, '@baton/client': version },
    }),
    '.gitignore': 'node_modules/\n.baton/\n',
    'workflows/brief.json': json(WORKFLOW),
    'agents/writer.json': json(AGENT),
    'brief.test.js': TEST,
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const AGENT_ID = 'local.demo.writer';

const WORKFLOW = {
  id: 'brief',
  name: 'Brief',
  version: '1.0',
  description:
    'An agent writes a brief on a topic. Its checksum is recorded, and a person accepts it, edits it or rejects it before it is merged into the run.',
  nodes: [
    {
      id: 'write',
      typeId: 'core.subWorkflow',
      name: 'Write the brief',
      config: { workflowId: AGENT_ID, inputMapping: { task: 'topic' }, outputMapping: { brief: 'result' } },
      settings: { outputAttestation: { checksum: true, requireApproval: true } },
    },
    {
      id: 'file',
      typeId: 'vendor.baton.set',
      name: 'File the brief',
      config: { assign: { outcome: "'On ' + variables.topic + ': ' + variables.brief" } },
    },
  ],
  edges: [{ id: 'then', sourceNodeId: 'write', targetNodeId: 'file' }],
  variables: [
    { name: 'topic', type: 'string', description: 'The subject of the brief', defaultValue: 'tides' },
    { name: 'brief', type: 'string', description: 'The text, once a person has accepted it' },
    { name: 'outcome', type: 'string', description: 'The result' },
  ],
};

const AGENT = {
  agentId: AGENT_ID,
  persona: 'Writer',
  description: 'Writes a brief of two sentences on a topic.',
  modelClass: 'writing',
  systemPrompt: 'Write a brief of two sentences on the topic that you are given. Use plain words.',
  baton: {
    script: [
      {
        text: 'The moon pulls the water of the sea, and the turning earth moves under it. So most shores have two high waters a day.',
      },
    ],
  },
};

const TEST = `import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { accept, asks, ended, given, hasVariables, merged, notMerged, reject, scripted, untilAtRest } from '@baton/client/testing';

// The workflow and the agent run in this process: the real engine, a simulated clock, a scripted model and no host.
const read = (file) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
const writer = { manifest: read('agents/writer.json') };
const owls = scripted({ '${AGENT_ID}': [{ text: 'Owls hunt at night.' }] });
const brief = given(read('workflows/brief.json'), writer, owls);

test('asks a person before the brief is merged', () =>
  brief.when({ topic: 'owls' }, untilAtRest()).then(asks('write')));

test('merges a brief that a person accepts', () =>
  brief
    .when({ topic: 'owls' }, untilAtRest(), accept('write'))
    .then(ended('completed'))
    .then(merged('brief', { value: 'Owls hunt at night.' }))
    .then(hasVariables({ outcome: 'On owls: Owls hunt at night.' })));

test('merges nothing that a person rejects', () =>
  brief.when({ topic: 'owls' }, untilAtRest(), reject('write')).then(notMerged('brief', 'rejected')));
`;

function readme(name: string): string {
  return `# ${name}

A workflow for Baton: an agent writes a brief, and a person accepts it before it is used.

- \`npm test\` runs the workflow with a scripted model, without a host.
- \`npm start\` starts a host with the workflow and the agent. Enter the other commands in a second terminal.
- \`npx baton run brief --input topic=tides --watch\` runs the workflow until it waits for you, \`npx baton inbox\` shows the question, and \`npx baton approve <run>\` accepts the brief.
- \`npx baton chat ${AGENT_ID}\` talks to the agent. It answers with its script until you set a key such as \`OPENAI_API_KEY\` before \`npm start\`.
- \`npx baton workflows graph workflows/brief.json\` draws the workflow, and \`npm run validate\` checks it.
`;
}
