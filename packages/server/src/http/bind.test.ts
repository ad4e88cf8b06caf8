import { expect, it } from 'vitest';
import { routerPath } from './bind.ts';

it.each([
  ['/healthz', '/healthz'],
  ['/v1/runs', '/v1/runs'],
  ['/v1/runs/{runId}', '/v1/runs/:runId(^[^:/]+)'],
  ['/v1/runs/{runId}:pause', '/v1/runs/:runId(^[^:/]+)::pause'],
  ['/v1/runs/{runId}/events', '/v1/runs/:runId/events'],
  ['/v1/runs:bulk-cancel', '/v1/runs::bulk-cancel'],
  // Artifacts and tokens have colons.
  ['/v1/runs/{runId}/artifacts/{artifactId}', '/v1/runs/:runId/artifacts/:artifactId'],
  ['/v1/interrupts/{token}', '/v1/interrupts/:token'],
  ['/v1/host/workspace/files/{+path}', '/v1/host/workspace/files/*'],
])('writes %s for the router as %s', (path, expected) => expect(routerPath(path)).toBe(expected));
