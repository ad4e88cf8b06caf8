import type { ToolCall, ToolDescriptor, ToolResult } from '@baton/engine/ports';
import { type Json, storableJson, wellFormed } from '@baton/protocol';
import { resolveValues, secretsIn } from './configured-values.ts';
import type { ConnectedTool, SecretOf } from './connected-tool.ts';
import { FetchRefusal, fetchFailure } from './fetch-refusal.ts';
import type { Fetch } from './guarded-fetch.ts';
import { withoutHidden } from './hidden-values.ts';
import { modelName } from './tool-ids.ts';
import { failed, failedInItsWords, ok } from './tool-results.ts';
import type { HttpToolConfig } from './tools-config.ts';
import { argumentsIn, fillTemplate, queryText } from './url-template.ts';

/** The clients for addresses that are public, and for those that the operator declared to be private. */
export interface Fetches {
  readonly guarded: Fetch;
  readonly operator: Fetch;
}

export function httpTool(config: HttpToolConfig, fetches: Fetches, secretOf: SecretOf): ConnectedTool {
  const fetch = config.private ? fetches.operator : fetches.guarded;
  return {
    descriptor: descriptorOf(config),
    secrets: secretsIn(config.headers),
    async run(call) {
      const resolved = await resolveValues(config.headers, call.tenant, secretOf);
      if ('missing' in resolved) return secretMissing(resolved.missing);
      const request = requestFor(config, call, resolved.values);
      if ('wrong' in request)
        return failed('input_invalid', `${request.wrong} cannot be part of an address.`);
      return withoutHidden(await send(fetch, config, request, call.signal), resolved.hidden);
    },
  };
}

function secretMissing(name: string): ToolResult {
  return failed(
    'tool_unavailable',
    `The tool was not called: the secret "${name}" is not set for this tenant.`,
  );
}

function descriptorOf(config: HttpToolConfig): ToolDescriptor {
  const id = `http:${config.name}`;
  const { description, parameters, returns, repeatable, scopes } = config;
  return {
    id,
    name: modelName(id),
    ...(description !== undefined && { description }),
    parameters,
    ...(returns && { returns }),
    transport: 'http',
    repeatable,
    ...(config.approval && { approval: 'always' }),
    ...(scopes.length > 0 && { scopes: [...scopes] }),
  };
}

interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Arguments that the address does not name are the body, or the query of a method without a body. */
function requestFor(
  { method, url: template }: HttpToolConfig,
  { input, key, traceparent }: ToolCall,
  configured: Readonly<Record<string, string>>,
): HttpRequest | { readonly wrong: string } {
  const filled = fillTemplate(template, input);
  if ('wrong' in filled) return filled;
  const places = argumentsIn(template);
  const rest = Object.entries(input).filter(([name]) => !places.includes(name));
  const headers = {
    accept: 'application/json, text/*',
    ...(traceparent !== undefined && { traceparent }),
    'idempotency-key': headerText(key),
    ...configured,
  };
  if (method !== 'GET' && method !== 'DELETE') {
    const body = JSON.stringify(Object.fromEntries(rest));
    return { url: filled.url, headers: { 'content-type': 'application/json', ...headers }, body };
  }
  for (const [name, value] of rest) {
    for (const item of Array.isArray(value) ? value : [value]) {
      const text = queryText(item);
      if (text === undefined) return { wrong: name };
      filled.url.searchParams.append(name, text);
    }
  }
  return { url: filled.url, headers };
}

/** A header holds only visible characters of ASCII. */
function headerText(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) ? text : encodeURIComponent(text);
}

async function send(
  fetch: Fetch,
  { method, timeoutMs }: HttpToolConfig,
  { url, headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<ToolResult> {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: within,
    });
    const text = await response.text();
    if (!response.ok) return failedInItsWords(`The tool answered with HTTP status ${response.status}`, text);
    return ok(bodyValue(text, response.headers.get('content-type')));
  } catch (error) {
    return whyNoAnswer(error);
  }
}

function bodyValue(text: string, contentType: string | null): Json {
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType ?? '')) return text;
  try {
    return wellFormed(storableJson(JSON.parse(text)));
  } catch {
    // The declaration of the type is wrong. The text says more than an error would.
    return text;
  }
}

function whyNoAnswer(error: unknown): ToolResult {
  if (error instanceof FetchRefusal && error.rule === 'redirect') {
    return failed('tool_failed', `The tool redirected the call, which was not followed: ${error.message}.`);
  }
  if (error instanceof FetchRefusal && error.rule !== 'size') {
    return failed('tool_unavailable', `The tool was not called: ${error.message}.`);
  }
  switch (fetchFailure(error)) {
    case 'too-large':
      return failed('tool_result_invalid', 'The tool answered with more data than this host takes.');
    case 'timed-out':
      return failed('tool_timeout');
    case 'unsent':
      return failed('tool_unavailable');
    default:
      return failed('tool_outcome_unknown');
  }
}
