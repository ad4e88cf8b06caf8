import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { TaskPush } from '@baton/engine/ports';
import { BatonError, parse } from '@baton/protocol';
import Type from 'typebox';
import { keyIn } from '../../webhooks/signatures.ts';
import type { A2aCall } from '../call.ts';
import { requireId } from '../message.ts';
import { rowOfTask } from '../read-tasks.ts';
import type { PushCredentials } from './registered-pushes.ts';

/** The operations of A2A on push configurations. */

/** Bytes of a key that signs pushes. Shorter ones could be guessed. */
const SHORTEST_KEY = 16;

const Visible = (most: number) => Type.String({ pattern: `^[\\x21-\\x7e]{0,${most}}$` });

const ConfigShape = Type.Object({
  id: Visible(200),
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  token: Visible(1024),
  authentication: Type.Optional(
    Type.Object({
      scheme: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$' }),
      credentials: Type.String({ pattern: '^[\\x20-\\x7e]{0,4096}$' }),
    }),
  ),
});

/** A configuration that was read and whose address was judged. */
interface JudgedConfig {
  readonly id: string;
  readonly url: string;
  readonly credentials: PushCredentials;
}

export async function judgedConfig(
  { host, identity }: A2aCall,
  config: TaskPushNotificationConfig,
): Promise<JudgedConfig> {
  const { id, url, token, authentication } = parse(ConfigShape, config, 'push configuration');
  if (token !== '' && keyIn(token).length < SHORTEST_KEY) {
    const problem = `must be the Base64 of at least ${SHORTEST_KEY} bytes, because it is the key that signs pushes`;
    throw new BatonError('validation_error', `push configuration: token ${problem}`, {
      field: 'token',
      problem,
    });
  }
  await host.pushes.judge(identity.tenant, url);
  const authorization = authentication && `${authentication.scheme} ${authentication.credentials}`;
  const credentials = { ...(token !== '' && { token }), ...(authorization && { authorization }) };
  return { id, url, credentials };
}

/** A configuration without an id has that of the task, so that it replaces itself when it is sent again. */
export function putConfig(
  { host, identity, version }: A2aCall,
  runId: string,
  { id, url, credentials }: JudgedConfig,
): Promise<TaskPush> {
  const pushId = id === '' ? runId : id;
  return host.pushes.put({ tenant: identity.tenant, runId, pushId, url, version }, credentials);
}

type PushOperations = Pick<
  A2ARequestHandler,
  | 'createTaskPushNotificationConfig'
  | 'getTaskPushNotificationConfig'
  | 'listTaskPushNotificationConfigs'
  | 'deleteTaskPushNotificationConfig'
>;

export function pushOperationsFor(call: A2aCall): PushOperations {
  const { host, identity } = call;
  const { tenant } = identity;
  const taskOf = async (taskId: string) => (await rowOfTask(call, requireId(taskId, 'taskId'))).runId;
  return {
    async createTaskPushNotificationConfig(config) {
      const runId = await taskOf(config.taskId);
      return shown(await putConfig(call, runId, await judgedConfig(call, config)));
    },
    async getTaskPushNotificationConfig({ taskId, id }) {
      const runId = await taskOf(taskId);
      const asked = id === '' ? runId : id;
      const found = (await host.pushes.list(tenant, runId)).find(({ pushId }) => pushId === asked);
      if (found !== undefined) return shown(found);
      throw new BatonError('not_found', 'The task has no push configuration with this id.', { field: 'id' });
    },
    async listTaskPushNotificationConfigs({ taskId }) {
      const configs = (await host.pushes.list(tenant, await taskOf(taskId))).map(shown);
      return { configs, nextPageToken: '' };
    },
    async deleteTaskPushNotificationConfig({ taskId, id }) {
      const runId = await taskOf(taskId);
      await host.pushes.delete({ tenant, runId, pushId: id === '' ? runId : requireId(id, 'id') });
    },
  };
}

/** Tokens and credentials are not shown again. */
function shown({ runId, pushId, url }: TaskPush): TaskPushNotificationConfig {
  return { tenant: '', id: pushId, taskId: runId, url, token: '', authentication: undefined };
}
