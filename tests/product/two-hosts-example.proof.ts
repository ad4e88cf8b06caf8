import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('shows gated work across two hosts, its ancestry, its verification and its trace', {
  timeout: 120_000,
}, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/two-hosts.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stderr).not.toContain('The example failed');
  expect(status).toBe(0);
  expect(stdout).toContain('A person has approved it: "Heard: owls"');
  expect(stdout).toMatch(/└─ core\.subWorkflow \S+\.1 {2}\(paris\)\n\s+└─ a2a-message \S+ {2}\(tokyo\)/);
  expect(stdout).toMatch(/✓ {2}report .* signed by tokyo/);
  expect(stdout).toMatch(/Both runs belong to the trace [0-9a-f]{32}\n/);
});
