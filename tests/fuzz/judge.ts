import { ERRORS, problemWith } from '@baton/protocol';
import type { FuzzRequest } from './requests.ts';

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** True for a stream that was still open when the reader left. */
  readonly cut: boolean;
}

/** What a host says when it has no room for the moment; it has to say when to come back. */
const BUSY = new Set(['overloaded', 'rate_limited', 'too_many_open', 'storage_full']);

/** What is wrong with an answer, or nothing. */
export function problemWithAnswer(request: FuzzRequest, answer: FuzzAnswer): string | undefined {
  const { status, headers, text, cut } = answer;
  if (status >= 400 && isRpcError(request, text)) return undefined;
  if (status >= 400) return problemWithRefusal(status, headers, text);
  if (cut || status === 304 || status === 204) return undefined;
  if (request.method !== request.operation.method) return undefined;
  const declared = request.operation.answers;
  const schema = declared.get(String(status));
  const describes = [...declared.keys()].some((one) => one.startsWith('2'));
  if (!declared.has(String(status))) return describes ? `the status ${status} is not declared` : undefined;
  if (schema === undefined) return undefined;
  // The schema is that of the JSON answer; the same status may also be answered with a stream.
  if (String(headers['content-type']).startsWith('text/event-stream')) return undefined;
  const body = jsonOf(text);
  if (body === undefined) return 'the answer is not JSON';
  if (!String(headers['content-type']).startsWith('application/json')) {
    return `the content type is ${headers['content-type']}`;
  }
  const problem = problemWith(schema, body);
  // A stored value that a tenant has made a secret since is shown redacted, whatever form it had.
  if (problem === undefined || text.includes('[REDACTED:')) return undefined;
  return `the answer does not fit its schema: ${problem.field} ${problem.problem}`;
}

/** MCP and A2A refuse a message with an error of JSON-RPC. */
function isRpcError({ operation: { path } }: FuzzRequest, text: string): boolean {
  if (path !== '/v1/mcp' && path !== '/v1/a2a') return false;
  const body = jsonOf(text) as
    | { jsonrpc?: unknown; error?: { code?: unknown; message?: unknown } }
    | undefined;
  return (
    body?.jsonrpc === '2.0' &&
    Number.isInteger(body.error?.code) &&
    typeof body.error?.message === 'string' &&
    body.error.message !== ''
  );
}

function problemWithRefusal(
  status: number,
  headers: FuzzAnswer['headers'],
  text: string,
): string | undefined {
  const body = jsonOf(text) as { error?: unknown; message?: unknown } | undefined;
  const code = body?.error;
  if (typeof code !== 'string' || typeof body?.message !== 'string')
    return 'the refusal has no code or message';
  if (!Object.hasOwn(ERRORS, code)) return `the code ${code} is not in the catalogue`;
  if (Object.keys(body).some((name) => !['error', 'message', 'details'].includes(name))) {
    return 'the refusal has other fields';
  }
  if (!String(headers['content-type']).startsWith('application/json')) {
    return `the content type is ${headers['content-type']}`;
  }
  const expected = ERRORS[code as keyof typeof ERRORS][0];
  if (expected !== status && !(status === 431 && code === 'validation_error')) {
    return `${code} came with ${status} instead of ${expected}`;
  }
  if (BUSY.has(code))
    return headers['retry-after'] === undefined ? 'it does not say when to try again' : undefined;
  return status >= 500 ? `a failure of the host: ${code}` : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
