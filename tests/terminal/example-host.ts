import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API_KEY, startProcess } from '../crash/host-process.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

/** A host with the examples in a folder of its own, and the environment in which commands find it. */
export interface ExampleHost {
  /** Nothing but the data folder and the key: the address is what the host left there. */
  readonly env: Record<string, string>;
  readonly folder: string;
  readonly url: string;
  stop(): Promise<void>;
}

export async function startExamples(): Promise<ExampleHost> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-terminal-'));
  const data = join(folder, 'data');
  const host = await startProcess(data, EXAMPLES);
  return {
    env: { BATON_DATA: data, BATON_API_KEY: API_KEY },
    folder,
    url: host.url,
    async stop() {
      await host.kill('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
