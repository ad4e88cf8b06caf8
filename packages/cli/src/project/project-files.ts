/** The files of a new project, by their paths. */
export function projectFiles(name: string, version: string): Readonly<Record<string, string>> {
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
