import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundleReader, type ReaderLimits } from '../../packages/server/dist/imports/bundle-reader.js';
import { sharedHost, type TestHost } from './host.ts';

/**
 * A bundle may hold far more values than another body, so its values are not counted. It is read in a thread of
 * its own, and what bounds the reading is the time and the memory of that thread.
 */

const CALLER = { tenant: 'default', principal: 'operator' };
const manyValues = (count: number) => `{"baton":[${'[],'.repeat(count)}1]}`;
const bytesOf = (text: string) => new Uint8Array(new TextEncoder().encode(text));

function readerWith(limits: ReaderLimits) {
  const vault = { secrets: new Map(), sealingKey: new Uint8Array(32), changes: [] };
  const reader = bundleReader({ vault, knownKeys: [] }, () => [], limits);
  onTestFinished(() => reader.stop());
  return (text: string) => reader.read(bytesOf(text), CALLER);
}

describe('the thread that reads a bundle', () => {
  const TOO_MUCH = { code: 'bundle_invalid', message: expect.stringContaining('more time or memory') };

  it('is ended when it needs more memory than it may, and the next bundle gets another one', async () => {
    const read = readerWith({ ms: 60_000, megabytes: 32 });
    await expect(read(manyValues(2_000_000))).rejects.toMatchObject(TOO_MUCH);
    await expect(read('{}')).rejects.toMatchObject({
      message: expect.stringContaining('not written by a Baton'),
    });
  });

  it('is ended when it needs more time than it may', async () => {
    const read = readerWith({ ms: 0, megabytes: 1024 });
    await expect(read(manyValues(2_000_000))).rejects.toMatchObject(TOO_MUCH);
  });
});

describe('a bundle of more values than another body may hold', () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await sharedHost();
  });
  afterAll(() => host.stop());

  it('is read all the same, and refused for what it holds', async () => {
    const raw = manyValues(200_000);
    const elsewhere = await host.post('/v1/runs', undefined, { raw });
    expect([elsewhere.status, elsewhere.body.error]).toEqual([413, 'payload_too_large']);
    const imported = await host.post('/v1/runs:import', undefined, { raw });
    expect([imported.status, imported.body.error]).toEqual([400, 'validation_error']);
    expect((await host.run('quick')).body.status).toBe('completed');
  });

  it('is refused when it is longer than a bundle may be', async () => {
    const raw = `{"baton":"${'x'.repeat(48 * 1024 * 1024)}"}`;
    const { status, body } = await host.post('/v1/runs:import', undefined, { raw });
    expect([status, body.error]).toEqual([413, 'payload_too_large']);
  });
});
