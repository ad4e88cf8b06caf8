import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readTools } from '@baton/agents/tools-file';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { startTestHost, type TestHost } from '../http/host.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

/** A host that serves the examples as `npm start` does, with the scripted provider. */
export async function startExampleHost(keys: Parameters<typeof startTestHost>[1] = []): Promise<TestHost> {
  const file = `${EXAMPLES}/support-triage/tools.json`;
  const reading = readTools({ name: file, text: readFileSync(file, 'utf8') }, {});
  if (!('config' in reading)) throw new Error(reading.problem);
  const settings = { workflowsFolder: EXAMPLES, agentsFolder: EXAMPLES, tools: reading.config };
  const host = await startTestHost({ ...settings, builtinWorkflows: [] }, keys);
  // The host starts the shop beside itself, and its tools are there when it has answered.
  await eventually(async () => {
    const { body } = await host.get('/v1/agents/local.support-triage.triage');
    expect(body).not.toHaveProperty('degraded');
  });
  return host;
}
