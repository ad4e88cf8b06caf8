import { describe, expect, it } from 'vitest';
import { connectionLimits } from './limits.ts';

describe('the bound on connections', () => {
  it('leaves descriptors for files and for health checks', () => {
    const { total, reserve } = connectionLimits({}, 512);
    expect(total + reserve).toBeLessThanOrEqual(512 - 96);
  });

  it.each([
    [{}, 1_000_000, { total: 10_000, perAddress: 2500, boundsLoopback: false, perTenant: 5000 }],
    [{ maxConnections: 40 }, 1_000_000, { total: 40, perAddress: 10, perTenant: 20 }],
    [{ maxConnections: 4000 }, 1112, { total: 1000 }],
    [{ maxConnectionsPerAddress: 0 }, 1_000_000, { perAddress: undefined }],
    [{ maxConnectionsPerAddress: 7 }, 1_000_000, { perAddress: 7, boundsLoopback: true }],
    [{}, 100, { total: 16 }],
  ])('is, with %o and %i open files, %o', (settings, openFiles, expected) => {
    expect(connectionLimits(settings, openFiles)).toMatchObject(expected);
  });
});
