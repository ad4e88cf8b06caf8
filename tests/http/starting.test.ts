import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestHost } from './host.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the workflows folder', () => {
  const withFile = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return startTestHost({ workflowsFolder: folder, builtinWorkflows: [] });
  };

  it('is registered for everybody', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'not a workflow');
    const host = await withFile('hello.json', '{"id":"hello","nodes":[{"id":"n","typeId":"core.noop"}]}');
    expect((await host.run('hello')).body.status).toBe('completed');
    await host.stop();
  });

  it.each([
    ['not JSON', '{', 'broken.json'],
    ['a field that is not right', '{"id":"x","nodes":[{"id":"n"}]}', 'nodes.0.typeId'],
    ['an unknown field', '{"id":"x","nodes":[{"id":"n","typeId":"core.noop"}],"colour":1}', 'colour'],
    ['no workflow at all', '[]', 'broken.json'],
  ])('stops the start when a file is wrong: %s', async (_what, text, said) => {
    await expect(withFile('broken.json', text)).rejects.toThrow(/broken\.json/);
    await expect(withFile('broken.json', text)).rejects.toThrow(said);
  });
});

describe('the data folder', () => {
  it('has one host at a time, and the next one goes on where it stopped', async () => {
    const first = await startTestHost({ dataFolder: folder });
    await expect(startTestHost({ dataFolder: folder })).rejects.toThrow(/another Baton/);
    const { body } = await first.run('gate');
    await first.stop();
    const second = await startTestHost({ dataFolder: folder });
    expect((await second.get(`/v1/runs/${body.runId}`)).body.status).toBe('waiting-approval');
    const answer = await second.post(
      body.interrupt.callbackUrl,
      { resumeValue: { action: 'accept' } },
      { key: null },
    );
    expect(answer.status).toBe(200);
    await second.stop();
  });

  it('is free again after a start that failed', async () => {
    const wrong = { dataFolder: folder, builtinWorkflows: [{ id: 'NO' }] };
    await expect(startTestHost(wrong)).rejects.toThrow(/built-in workflow/);
    const host = await startTestHost({ dataFolder: folder });
    await host.stop();
  });

  it('keeps the key for links to itself', async () => {
    const host = await startTestHost({ dataFolder: folder });
    await host.stop();
    expect(readdirSync(folder)).toContain('token.key');
    expect(statSync(join(folder, 'token.key')).mode & 0o777).toBe(0o600);
  });
});

describe('stopping', () => {
  it('may be asked twice', async () => {
    const host = await startTestHost();
    await expect(Promise.all([host.stop(), host.stop()])).resolves.toHaveLength(2);
  });
});
