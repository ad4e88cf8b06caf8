import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';
import { traceSettings } from './collector.ts';

/** How many files of OpenTelemetry, and how many others, a process has loaded that has started a host. */
async function loaded(settings: object): Promise<readonly number[]> {
  const folder = emptyFolder();
  const script = fileURLToPath(new URL('loading-host.mjs', import.meta.url));
  const args = [script, folder, JSON.stringify(settings)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout.trim().split(' ').map(Number);
}

it('loads nothing of OpenTelemetry, unless spans are exported', async () => {
  const [none, others] = await loaded({});
  expect(others).toBeGreaterThan(10);
  expect(none).toBe(0);
  const [some] = await loaded({ traces: traceSettings('http://127.0.0.1:9/v1/traces') });
  expect(some).toBeGreaterThan(10);
});
