import { expect, it } from 'vitest';
import { momentBetween, quantile } from './moments.ts';
import { parseMetrics } from './parse-metrics.ts';

it('reads samples with and without labels, and leaves out comments and lines of another form', () => {
  const text = [
    '# HELP a Text with a 7',
    '# TYPE a counter',
    'a 3',
    'b{x="1",y="a \\"quoted\\" \\\\ part\\nnext, {not=\\"a label\\"}"} 2.5e-3',
    'c{le="+Inf"} +Inf 1700000000000',
    'not a metric',
    'd NaN',
    '',
  ].join('\n');
  expect(parseMetrics(text)).toEqual([
    { name: 'a', labels: {}, value: 3 },
    { name: 'b', labels: { x: '1', y: 'a "quoted" \\ part\nnext, {not="a label"}' }, value: 0.0025 },
    { name: 'c', labels: { le: '+Inf' }, value: Number.POSITIVE_INFINITY },
  ]);
});

const bucket = (le: string, value: number, route = '/v1/runs') =>
  `baton_http_request_seconds_bucket{le="${le}",method="GET",route="${route}",status="200"} ${value}`;
const reading = (seconds: number, ...lines: readonly string[]) => ({
  at: seconds * 1000,
  samples: parseMetrics(lines.join('\n')),
});

it('makes rates and durations of what was added between two readings', () => {
  const before = reading(
    100,
    'baton_events_committed_total 10',
    'baton_runs_created_total 1',
    bucket('0.01', 100),
    bucket('+Inf', 100),
  );
  const after = reading(
    102,
    'baton_events_committed_total 60',
    'baton_runs_created_total 2',
    'process_resident_memory_bytes 1000',
    bucket('0.01', 108),
    bucket('0.1', 10, '/v1/agents'),
    bucket('+Inf', 108),
    bucket('+Inf', 12, '/v1/agents'),
    bucket('0.01', 0, '/v1/runs/{runId}/events'),
    bucket('+Inf', 500, '/v1/runs/{runId}/events'),
    bucket('+Inf', 500, '/metrics'),
  );
  expect(momentBetween(before, after)).toEqual({
    at: 102_000,
    eventsPerSecond: 25,
    runsPerSecond: 0.5,
    requestsPerSecond: 10,
    p50: expect.closeTo(0.1),
    p99: 0.1,
    memoryBytes: 1000,
    lag: 0,
  });
});

it('counts from 0 after the host was started again, and has no durations without requests', () => {
  const moment = momentBetween(
    reading(0, 'baton_events_committed_total 1000', bucket('+Inf', 50)),
    reading(10, 'baton_events_committed_total 20', bucket('+Inf', 0)),
  );
  expect(moment).toMatchObject({ eventsPerSecond: 2, requestsPerSecond: 0, p50: null, p99: null });
});

it.each([
  [0.5, 0.015],
  [0.99, 0.1],
  [0.2, 0.008],
])('finds the time of the share %s', (share, seconds) => {
  const buckets = [
    { upTo: 0.01, count: 25 },
    { upTo: 0.02, count: 75 },
    { upTo: 0.1, count: 90 },
    { upTo: Number.POSITIVE_INFINITY, count: 100 },
  ];
  expect(quantile(buckets, share)).toBeCloseTo(seconds);
});
