import { scopesOfRole } from '@baton/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { ask, type Named, type Operation, operationsOf } from './api-walk.ts';
import { type Answer, sharedHost } from './host.ts';

/** What another tenant has is as absent as what never was: the two answers are the same to the last byte. */

const THEM = { key: 'elsewhere' };
const NOBODY = '01a1e63f-9b03-71a7-a292-d00000000000';
const victims = new Map<string, string>();

const host = await sharedHost({}, [{ token: THEM.key, tenant: 'other', scopes: scopesOfRole('operator') }]);
afterAll(() => host.stop());
const operations: readonly Operation[] = await operationsOf(host);
const definition = { id: 'private-work', nodes: [{ id: 'n', typeId: 'core.noop' }] };
await host.post('/v1/workflows', definition);
await host.send('PUT', '/v1/host/workspace/files/secret.txt', { content: 'x' });
victims.set('waiting', (await host.run('gate')).body.runId);
victims.set('ended', (await host.run('quick')).body.runId);
victims.set('child', `${(await host.run('parent')).body.runId}.1`);

/** An answer without the name that was asked for. */
function told({ status, text }: Answer, named: Named): string {
  const names = [named.runId, named.workflowId, named.path];
  return names.reduce((left, name) => left.replaceAll(name, '…'), `${status} ${text}`);
}

const isAbout = (part: string) => (operation: Operation) =>
  operation.path.includes(`{${part}}`) || /bulk-cancel|audit\/verify/.test(operation.path);

describe('another tenant’s', () => {
  it.each(['waiting', 'ended', 'child'])('run that is %s is told of nowhere', async (kind) => {
    const theirs = { runId: String(victims.get(kind)), workflowId: 'w', path: 'p' };
    const absent = { ...theirs, runId: kind === 'child' ? `${NOBODY}.1` : NOBODY };
    for (const operation of operations.filter(isAbout('runId'))) {
      const [found, none] = [
        told(await ask(host, operation, theirs, THEM), theirs),
        told(await ask(host, operation, absent, THEM), absent),
      ];
      expect([operation.name, found]).toEqual([operation.name, none]);
      expect([operation.name, /^(200|40[034])/.test(found)]).toEqual([operation.name, true]);
    }
  });

  it('workflow and file are told of nowhere', async () => {
    const theirs = { runId: NOBODY, workflowId: 'private-work', path: 'secret.txt' };
    const absent = { runId: NOBODY, workflowId: 'never-was', path: 'never.txt' };
    const about = operations.filter(
      ({ method, path }) => /\{(workflowId|path)\}(\/versions)?$/.test(path) && method !== 'PUT',
    );
    const start = operations.filter(({ name }) => name === 'POST /v1/runs');
    expect([...about, ...start].length).toBeGreaterThan(3);
    for (const operation of [...about, ...start]) {
      const found = told(await ask(host, operation, theirs, THEM), theirs);
      const none = told(await ask(host, operation, absent, THEM), absent);
      expect([operation.name, found]).toEqual([operation.name, none]);
    }
  });

  it('runs are on no list, whatever is filtered by', async () => {
    for (const query of [`parentRunId=${victims.get('waiting')}`, 'workflowId=gate', 'status=completed']) {
      expect((await host.get(`/v1/runs?${query}`, THEM)).body.runs).toEqual([]);
    }
    expect((await host.get('/v1/interrupts', THEM)).body.interrupts).toEqual([]);
  });

  it('run is not moved by any of it', async () => {
    const { status } = (await host.get(`/v1/runs/${victims.get('waiting')}`)).body;
    expect(status).toBe('waiting-approval');
  });
});
