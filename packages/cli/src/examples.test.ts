import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_SETTINGS, type Host, startHost } from '@baton/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Checks that the example workflows do what their descriptions say. */

const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url));
const KEY = 'a-key-for-the-examples';

let folder: string;
let host: Host;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-examples-'));
  host = await startHost({
    ...DEFAULT_SETTINGS,
    port: 0,
    dataFolder: folder,
    apiKey: KEY,
    workflowsFolder: EXAMPLES,
    logLevel: 'warn',
    alwaysRefold: true,
  });
});
afterAll(async () => {
  await host?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly runId: string;
  readonly status: string;
  readonly variables: Record<string, unknown>;
  readonly childRuns?: readonly {
    readonly workflowId: string;
    readonly status: string;
    readonly role?: string;
  }[];
}

async function call(path: string, body?: object): Promise<Run> {
  const response = await fetch(`${host.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json', Prefer: 'wait=20' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as Run;
}

const run = (workflowId: string, inputs: object = {}) => call('/v1/runs', { workflowId, inputs });

describe('hello', () => {
  it.each([
    [{ name: 'Ada' }, 'Hello, Ada!'],
    [{}, 'Hello, world!'],
  ])('greets %j', async (inputs, greeting) => {
    expect(await run('hello', inputs)).toMatchObject({ status: 'completed', variables: { greeting } });
  });
});

describe('research-desk', () => {
  it('hands the notes of the reader to the writer', async () => {
    const finished = await run('research-desk', { topic: 'owls' });
    expect(finished).toMatchObject({
      status: 'completed',
      variables: {
        notes: ['what is known about owls', 'what is disputed about owls'],
        report: 'On owls: what is known about owls, and what is disputed about owls.',
      },
    });
    const { childRuns } = await call(`/v1/runs/${finished.runId}`);
    expect(childRuns?.map((child) => [child.workflowId, child.status])).toEqual([
      ['research-desk-reader', 'completed'],
      ['research-desk-writer', 'completed'],
    ]);
  });
});

describe('notebook', () => {
  it('remembers what earlier runs of the same scope wrote, and nothing of others', async () => {
    const write = (note: string, scopeId: string) =>
      call('/v1/runs', { workflowId: 'notebook', inputs: { note }, scopeId });
    await write('first', 'tides');
    await write('elsewhere', 'owls');
    const { variables } = await write('second', 'tides');
    const notes = variables.notes as readonly { readonly content: string }[];
    expect(notes.map(({ content }) => content)).toEqual(['second', 'first']);
  });
});

describe('release-approval', () => {
  it.each([
    ['accept', 'stable', '2.0 is out for everyone'],
    ['accept', 'preview', '2.0 is out for preview users'],
    ['reject', 'stable', '2.0 was withdrawn'],
  ])('waits for a person; %s on %s: %s', async (action, channel, outcome) => {
    const { runId, status } = await run('release-approval', { version: '2.0', channel });
    expect(status).toBe('waiting-approval');
    await call(`/v1/runs/${runId}/interrupts/approve`, { resumeValue: { action } });
    await expect
      .poll(() => call(`/v1/runs/${runId}`))
      .toMatchObject({ status: 'completed', variables: { outcome } });
  });
});

describe('vetted-report', () => {
  const draft = 'All about owls. Sources: the almanac.';

  it.each([
    [{ action: 'accept' }, draft],
    [{ action: 'edit-accept', editedArtifactData: { text: 'Owls, edited.' } }, 'Owls, edited.'],
    [{ action: 'reject' }, undefined],
  ])('is sent back once, waits for a person, and after %j says %j', async (resumeValue, report) => {
    const { runId, status, variables } = await run('vetted-report', { topic: 'owls' });
    expect(status).toBe('waiting-approval');
    expect(variables).not.toHaveProperty('report');
    await call(`/v1/runs/${runId}/interrupts/commission`, { resumeValue });
    await expect.poll(() => call(`/v1/runs/${runId}`)).toMatchObject({ status: 'completed' });
    const finished = await call(`/v1/runs/${runId}`);
    expect(finished.variables.report).toBe(report);
    expect(finished.childRuns?.map((child) => [child.workflowId, child.role])).toEqual([
      ['vetted-report-writer', undefined],
      ['vetted-report-critic', 'critic'],
      ['vetted-report-writer', undefined],
      ['vetted-report-critic', 'critic'],
    ]);
  });
});
