import type { SecretEntry } from '@baton/protocol';
import type { CallOptions, Connection } from './http/connection.ts';
import { ask } from './http/request.ts';

/** The secrets of the tenant. No method gives a value. */
export interface Secrets {
  list(options?: CallOptions): Promise<readonly SecretEntry[]>;
  put(name: string, value: string, options?: CallOptions): Promise<SecretEntry>;
  delete(name: string, options?: CallOptions): Promise<void>;
}

export function secrets(connection: Connection): Secrets {
  return {
    list: async (options) => (await ask(connection, 'listSecrets', options)).secrets,
    put: (name, value, options) =>
      ask(connection, 'putSecret', { params: { name }, body: { value }, ...options }),
    delete: (name, options) => ask(connection, 'deleteSecret', { params: { name }, ...options }),
  };
}
