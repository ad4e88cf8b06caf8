import { ROLE_NAMES, scopesOfRole } from '@baton/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { ask, type Named, type Operation, operationsOf } from './api-walk.ts';
import { type Answer, sharedHost } from './host.ts';

/** Each role on each route: allowed, or refused with exactly the scope that the route needs. */

const ROUTES: Readonly<Record<string, string>> = {
  'GET /.well-known/openwop': 'public',
  'GET /.well-known/agent-card.json': 'public',
  'GET /v1/a2a/agent.json': 'public',
  'POST /v1/a2a': 'runs:read',
  'POST /v1/a2a/pushed/{runId}': 'public',
  'GET /v1/mcp': 'runs:create',
  'POST /v1/mcp': 'runs:create',
  'DELETE /v1/mcp': 'runs:create',
  'POST /v1/session/codes': 'authenticated',
  'POST /v1/session': 'public',
  'GET /v1/session': 'authenticated',
  'GET /v1/session/ways': 'public',
  'DELETE /v1/session': 'authenticated',
  'GET /v1/session/oidc': 'public',
  'GET /v1/session/oidc/callback': 'public',
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': 'public',
  'GET /v1/host': 'host:operate',
  'GET /v1/host/keys': 'host:operate',
  'GET /v1/hosts': 'host:operate',
  'GET /v1/runs/{runId}/tree/events': 'runs:read',
  'GET /v1/runs:stats': 'runs:read',
  'GET /v1/runs:watch': 'runs:read',
  'GET /v1/usage/history': 'runs:read',
  'GET /v1/workflows/{workflowId}/versions': 'manifest:read',
  'POST /v1/workflows:validate': 'workflows:write',
  'GET /v1/host/held-runs': 'host:operate',
  'POST /v1/host/held-runs/{runId}:release': 'host:operate',
  'GET /v1/peers': 'host:operate',
  'POST /v1/workflows': 'workflows:write',
  'GET /v1/workflows': 'manifest:read',
  'GET /v1/workflows/{workflowId}': 'manifest:read',
  'POST /v1/agents': 'workflows:write',
  'GET /v1/agents': 'manifest:read',
  'GET /v1/agents/{agentId}': 'manifest:read',
  'GET /v1/agents/{agentId}/tools': 'manifest:read',
  'POST /v1/agents/{agentId}/messages': 'runs:create',
  'GET /v1/models': 'manifest:read',
  'GET /v1/memory': 'runs:read',
  'GET /v1/memory/{scopeId}': 'runs:read',
  'POST /v1/runs': 'runs:create',
  'GET /v1/runs': 'runs:read',
  'GET /v1/runs/{runId}': 'runs:read',
  'POST /v1/runs/{runId}/cancel': 'runs:cancel',
  'POST /v1/runs/{runId}:pause': 'runs:cancel',
  'POST /v1/runs/{runId}:resume': 'runs:cancel',
  'POST /v1/runs:bulk-cancel': 'runs:cancel',
  'GET /v1/runs/{runId}/artifacts/{artifactId}': 'artifacts:read',
  'GET /v1/runs/{runId}/ancestry': 'runs:read',
  'GET /v1/runs/{runId}/attestations': 'audit:read',
  'POST /v1/runs/{runId}:fork': 'runs:create',
  'POST /v1/runs/{runId}:retry': 'runs:create',
  'GET /v1/runs/{runId}/state': 'runs:read',
  'GET /v1/runs/{runId}/diff': 'runs:read',
  'GET /v1/runs/{runId}:diff': 'runs:read',
  'GET /v1/runs/{runId}/debug-bundle': 'runs:read',
  'GET /v1/usage': 'runs:read',
  'POST /v1/runs/{runId}:erase': 'runs:erase',
  'GET /v1/host/workspace/files': 'workspace:read',
  'GET /v1/host/workspace/files/{path}': 'workspace:read',
  'PUT /v1/host/workspace/files/{path}': 'workspace:write',
  'DELETE /v1/host/workspace/files/{path}': 'workspace:write',
  'GET /v1/secrets': 'secrets:write',
  'PUT /v1/secrets/{name}': 'secrets:write',
  'DELETE /v1/secrets/{name}': 'secrets:write',
  'POST /v1/host/secrets:rotate': 'host:operate',
  'POST /v1/webhooks': 'webhooks:manage',
  'GET /v1/webhooks': 'webhooks:manage',
  'GET /v1/webhooks/{webhookId}': 'webhooks:manage',
  'DELETE /v1/webhooks/{webhookId}': 'webhooks:manage',
  'POST /v1/webhooks/{webhookId}:pause': 'webhooks:manage',
  'POST /v1/webhooks/{webhookId}:resume': 'webhooks:manage',
  'POST /v1/webhooks/{webhookId}:rotate': 'webhooks:manage',
  'POST /v1/webhooks/{webhookId}:ping': 'webhooks:manage',
  'GET /v1/webhooks/{webhookId}/deliveries': 'webhooks:manage',
  'GET /v1/webhooks/{webhookId}/dead-letters': 'webhooks:manage',
  'POST /v1/webhooks/{webhookId}/dead-letters:redeliver': 'webhooks:manage',
  'GET /v1/runs/{runId}/events': 'runs:read',
  'GET /v1/runs/{runId}/events/poll': 'runs:read',
  'GET /v1/interrupts': 'runs:read',
  'POST /v1/runs/{runId}/interrupts/{nodeId}': 'approvals:respond',
  'POST /v1/runs/{runId}/approvals/{nodeId}': 'approvals:respond',
  'GET /v1/interrupts/{token}': 'public',
  'POST /v1/interrupts/{token}': 'public',
  'GET /v1/audit/verify': 'audit:read',
  'GET /v1/audit/key': 'audit:read',
};

/** Said once more and by hand, so that a role does not come to a scope unnoticed. */
const HOLDERS: Readonly<Record<string, readonly string[]>> = {
  'manifest:read': ['operator', 'author', 'runner', 'viewer'],
  'workflows:write': ['operator', 'author'],
  'runs:create': ['operator', 'author', 'runner'],
  'runs:read': ['operator', 'author', 'runner', 'approver', 'viewer', 'auditor'],
  'runs:cancel': ['operator', 'runner'],
  'runs:erase': ['operator'],
  'approvals:respond': ['operator', 'approver'],
  'artifacts:read': ['operator', 'approver', 'viewer'],
  'audit:read': ['operator', 'auditor'],
  'workspace:read': ['operator', 'author', 'runner', 'viewer'],
  'workspace:write': ['operator', 'author', 'runner'],
  'secrets:write': ['operator'],
  'webhooks:manage': ['operator'],
  'host:operate': [],
};

/** These need no scope. */
const OPEN = ['public', 'authenticated'];

const keyOf = (role: string) => `key-of-the-${role}`;

const keys = ROLE_NAMES.map((role) => ({
  token: keyOf(role),
  tenant: 'default',
  scopes: scopesOfRole(role),
  roles: [role],
}));
const every = scopesOfRole('operator');
const host = await sharedHost({}, [
  ...keys,
  { token: 'revoked', tenant: 'default', scopes: every, revoked: true },
  { token: 'elsewhere', tenant: 'other', scopes: every },
  { token: 'scopeless', tenant: 'default', scopes: [] },
]);
afterAll(() => host.stop());
const operations: readonly Operation[] = await operationsOf(host);
const ended: Named = { runId: (await host.run('quick')).body.runId, workflowId: 'role-made', path: 'a.txt' };

const refusedFor = ({ status, body }: Answer) =>
  status === 403 && body.error === 'forbidden' ? body.details?.scope : undefined;

describe('each role on each route', () => {
  it('has an expectation for every route, and none for a route that is not there', () => {
    const found = Object.fromEntries(operations.map(({ name, access }) => [name, access]));
    expect(found).toEqual(ROUTES);
  });

  it.each(Object.entries(ROUTES))('%s needs %s', async (name, scope) => {
    const operation = operations.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`${name} is not described`);
    const answers = await Promise.all(
      [...ROLE_NAMES, 'nobody'].map(async (role) => {
        const key = role === 'nobody' ? 'scopeless' : keyOf(role);
        return [role, await ask(host, operation, ended, { key })] as const;
      }),
    );
    for (const [role, answer] of answers) {
      const isAllowed = OPEN.includes(scope) || HOLDERS[scope]?.includes(role);
      expect([role, refusedFor(answer)]).toEqual([role, isAllowed ? undefined : scope]);
      expect([role, answer.status < 500 && answer.status !== 401]).toEqual([role, true]);
    }
  });

  it.each(Object.entries(ROUTES))('%s is closed to strangers', async (name, scope) => {
    const operation = operations.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`${name} is not described`);
    for (const key of [null, 'revoked', 'never-given']) {
      const { status, body, headers } = await ask(host, operation, ended, { key });
      if (scope === 'public') expect(status).not.toBe(401);
      else
        expect([key, status, body.error, headers.get('www-authenticate')]).toEqual([
          key,
          401,
          'unauthenticated',
          'Bearer',
        ]);
    }
    const theirs = await ask(host, operation, ended, { key: 'elsewhere' });
    if (operation.path.includes('{runId}') && scope !== 'host:operate') expect(theirs.status).toBe(404);
    else expect(theirs.status).toBeLessThan(500);
  });
});
