import {
  Client,
  type ClientOptions,
  type ElicitRequest,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { OPERATOR_KEY } from '../http/host.ts';

/** The official client of MCP, as a caller with an API key. */

export const ERAS = ['2025', '2026'] as const;
type ClientEra = (typeof ERAS)[number];

type Form = ElicitRequest['params'];
type Filled = { readonly action: 'accept' | 'decline'; readonly content?: Record<string, string> };

interface Connecting {
  /** A key, or a function that makes a token for each request. */
  readonly key?: string | (() => string);
  readonly era?: ClientEra;
  readonly headers?: Record<string, string>;
  /** Fills in the forms that the host sends. Absent: the client has no elicitation. */
  readonly fillIn?: (form: Form) => Filled;
  /** The client says that it has elicitation, and leaves the questions of 2026 to the test. */
  readonly hasForms?: boolean;
  /** Called when the host says that its tools have changed. */
  readonly onToolsChanged?: () => void;
  /** Sends the requests, in place of the built-in one. */
  readonly fetch?: typeof fetch;
}

export interface ConnectedClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** The forms that the host has sent. */
  readonly forms: readonly Form[];
}

export async function connect(url: string, options: Connecting = {}): Promise<ConnectedClient> {
  const {
    key = OPERATOR_KEY,
    era = '2025',
    headers = {},
    fillIn,
    hasForms = false,
    onToolsChanged,
  } = options;
  const settings: ClientOptions = {
    capabilities: fillIn || hasForms ? { elicitation: { form: {} } } : {},
    ...(era === '2026' && { versionNegotiation: { mode: 'auto' } }),
    ...(fillIn === undefined && { inputRequired: { autoFulfill: false } }),
    ...(onToolsChanged && {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    }),
  };
  const client = new Client({ name: 'test', version: '1' }, settings);
  const forms: Form[] = [];
  if (fillIn) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      forms.push(params);
      return { ...fillIn(params) };
    });
  }
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/v1/mcp`), {
    requestInit: { headers },
    // A lost stream is opened again at once.
    reconnectionOptions: {
      ...{ initialReconnectionDelay: 1, maxReconnectionDelay: 1 },
      ...{ reconnectionDelayGrowFactor: 1, maxRetries: 100 },
    },
    fetch: async (input, init) => {
      const sent = new Headers(init?.headers);
      sent.set('authorization', `Bearer ${typeof key === 'string' ? key : key()}`);
      return (options.fetch ?? fetch)(input, { ...init, headers: sent });
    },
  });
  await client.connect(transport);
  return { client, transport, forms };
}

/** The run that the metadata of a result names. */
export function runIn(result: object): { readonly runId: string; readonly status: string } {
  const { _meta } = result as {
    readonly _meta: { readonly 'dev.baton/run': { runId: string; status: string } };
  };
  return _meta['dev.baton/run'];
}

/** The structured content of a result. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
export function dataIn(result: object): any {
  return (result as { readonly structuredContent?: unknown }).structuredContent;
}
