import { expect, it } from 'vitest';
import { readTraceSettings } from './trace-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' };

function read(env: Record<string, string>) {
  const problems: string[] = [];
  return { settings: readTraceSettings(env, problems), problems };
}

it.each<[string, Record<string, string>]>([
  ['nothing is set', {}],
  ['only a name is set', { OTEL_SERVICE_NAME: 'desk' }],
  ['the address is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ['everything is switched off', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
  ['traces are switched off', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
])('sends nothing when %s', (_, env) => {
  expect(read(env)).toEqual({ settings: undefined, problems: [] });
});

it('adds the path for traces to the address for everything', () => {
  expect(read(ENDPOINT).settings).toEqual({
    url: 'http://127.0.0.1:4318/v1/traces',
    protocol: 'http/json',
    headers: {},
    resource: { 'service.name': 'baton' },
  });
});

it('takes what is set for traces alone as it is', () => {
  const { settings } = read({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example.com/in',
    OTEL_EXPORTER_OTLP_HEADERS: 'ignored=1',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Bearer%20abc, x-team = tides',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
    OTEL_SERVICE_NAME: 'desk',
  });
  expect(settings).toEqual({
    url: 'https://collector.example.com/in',
    protocol: 'http/protobuf',
    headers: { authorization: 'Bearer abc', 'x-team': 'tides' },
    resource: { 'deployment.environment.name': 'test', 'service.name': 'desk' },
  });
});

it.each<[Record<string, string>, string]>([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    'OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4318"; write an address',
  ],
  [
    { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; write one of http/json',
  ],
  [
    { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'canary' },
    'OTEL_EXPORTER_OTLP_HEADERS has a part that is not of the form',
  ],
  [
    { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'a=%canary' },
    'OTEL_EXPORTER_OTLP_HEADERS has a part that is not of the form',
  ],
])('says what is wrong with %j', (env, problem) => {
  const { problems } = read(env);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
  expect(problems[0]).not.toContain('canary');
});
