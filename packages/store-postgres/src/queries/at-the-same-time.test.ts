import { afterAll, expect, it } from 'vitest';
import { openExample } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { selfOf } from '../self.ts';
import { webhookWriter } from '../webhooks/webhook-writer.ts';
import { secretWriter } from './secrets.ts';
import { taskPushWriter } from './task-pushes.ts';
import { workflowReads, workflowWriter } from './workflows.ts';

afterAll(stopServers);

/** What several hosts do at the same time has the result of one after the other. */

const TIMES = 12;

const times = <T>(work: (at: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: TIMES }, (_, at) => work(at)));

it('gives each version of a workflow its own number', async () => {
  const database = await openExample();
  const registered = await times((at) =>
    workflowWriter(database, selfOf(at)).putWorkflow({
      ...{ tenant: 'acme', id: 'w', digest: `d${at}`, definition: '{}', createdAt: 1 },
    }),
  );
  const versions = registered.map(({ version }) => version).sort((one, other) => one - other);
  expect(versions).toEqual(Array.from({ length: TIMES }, (_, at) => at + 1));
  expect((await workflowReads(database).workflow('acme', 'w'))?.version).toBe(TIMES);
});

it('registers a definition once', async () => {
  const database = await openExample();
  const workflow = { tenant: 'acme', id: 'w', digest: 'd', definition: '{}', createdAt: 1 };
  const registered = await times((at) => workflowWriter(database, selfOf(at)).putWorkflow(workflow));
  expect(registered.filter(({ created }) => created)).toHaveLength(1);
  expect(new Set(registered.map(({ version }) => version))).toEqual(new Set([1]));
});

it('stores no more secrets, webhooks and pushes than are allowed', async () => {
  const database = await openExample();
  const secrets = await times((at) =>
    secretWriter(database, selfOf(at)).putSecret(
      { tenant: 'acme', name: `s${at}`, jwe: 'e', updatedAt: 1 },
      3,
    ),
  );
  const webhooks = await times((at) =>
    webhookWriter(database, selfOf(at)).putWebhook(
      {
        ...{ tenant: 'acme', webhookId: `w${at}`, principal: 'ada', url: 'u', keys: 'k', fingerprint: 'f' },
        ...{ events: [], workflows: [], tags: [], createdAt: 1 },
      },
      3,
    ),
  );
  const pushes = await times((at) =>
    taskPushWriter(database).putTaskPush(
      {
        ...{ tenant: 'acme', runId: 'r', pushId: `p${at}`, url: 'u', credentials: 'c', version: '1' },
        ...{ createdAt: 1, tries: 0 },
      },
      3,
    ),
  );
  for (const stored of [secrets, webhooks, pushes]) expect(stored.filter(Boolean)).toHaveLength(3);
});
