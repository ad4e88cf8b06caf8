import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { requestTimes } from './request-times.ts';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const REQUESTS = [
  ['GET', '/v1/runs/:runId', 200, 0.0004],
  ['GET', '/v1/runs/:runId', 200, 0.001],
  ['GET', '/v1/runs/:runId', 404, 0.0011],
  ['POST', '/v1/runs', 201, 0.3],
  ['POST', '/v1/runs', 201, 30],
  ['POST', '/v1/runs', 201, 31],
  ['GET', 'none', 404, 0],
] as const;

it('gives the same text as a histogram of prom-client', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const times = requestTimes(ours);
  const histogram = new Histogram({
    name: 'baton_http_request_seconds',
    help: 'Requests by route and status, and how long they took',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [theirs],
  });
  expect(await ours.metrics()).toBe(await theirs.metrics());
  for (const [method, route, status, seconds] of REQUESTS) {
    times.observe(method, route, status, seconds);
    histogram.labels(method, route, String(status)).observe(seconds);
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});
