import type { TraceSettings } from '@baton/server';

const PROTOCOLS: readonly TraceSettings['protocol'][] = ['http/json', 'http/protobuf'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads where spans are sent, from the variables that OpenTelemetry defines for every program. Nothing is sent unless
 * one of them names an address.
 */
export function readTraceSettings(env: Environment, problems: string[]): TraceSettings | undefined {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none')
    return undefined;
  const url = readUrl(env, problems);
  if (url === undefined) return undefined;
  return {
    url,
    protocol: readProtocol(env, problems),
    headers: pairsIn(env, ofTraces(env, 'HEADERS'), problems),
    resource: {
      'service.name': 'baton',
      ...pairsIn(env, 'OTEL_RESOURCE_ATTRIBUTES', problems),
      ...(env.OTEL_SERVICE_NAME && { 'service.name': env.OTEL_SERVICE_NAME }),
    },
  };
}

/** The variable for traces alone comes before the one for everything. An empty one counts as not set. */
function ofTraces(env: Environment, name: string): string {
  const own = `OTEL_EXPORTER_OTLP_TRACES_${name}`;
  return env[own] ? own : `OTEL_EXPORTER_OTLP_${name}`;
}

/** The address for everything is a beginning, to which the path for traces is added. */
function readUrl(env: Environment, problems: string[]): string | undefined {
  const name = ofTraces(env, 'ENDPOINT');
  const text = env[name];
  if (!text) return undefined;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    problems.push(`${name} is "${text}"; write an address, such as http://127.0.0.1:4318`);
    return undefined;
  }
  return name === 'OTEL_EXPORTER_OTLP_ENDPOINT' ? `${text.replace(/\/+$/, '')}/v1/traces` : text;
}

function readProtocol(env: Environment, problems: string[]): TraceSettings['protocol'] {
  const name = ofTraces(env, 'PROTOCOL');
  const text = env[name];
  if (!text) return 'http/json';
  const known = PROTOCOLS.find((one) => one === text);
  if (known === undefined) problems.push(`${name} is "${text}"; write one of ${PROTOCOLS.join(', ')}`);
  return known ?? 'http/json';
}

/** `key=value` pairs, separated by commas, with `%` escapes. A wrong pair is not repeated: it may hold a key. */
function pairsIn(env: Environment, name: string, problems: string[]): Readonly<Record<string, string>> {
  const pairs: Record<string, string> = {};
  for (const part of (env[name] ?? '').split(',').filter((text) => text.trim() !== '')) {
    const [, key, value] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(part) ?? [];
    const read = value === undefined ? undefined : decoded(value.trim());
    if (key === undefined || read === undefined) {
      problems.push(`${name} has a part that is not of the form name=value; separate the parts by commas`);
    } else pairs[key] = read;
  }
  return pairs;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
