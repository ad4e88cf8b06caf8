import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditedMerge } from '@baton/engine';
import { storageAt } from '@baton/server/storage';
import { expect, it, onTestFinished } from 'vitest';
import { outputTo } from './output/output.ts';
import { verificationReport, verifyRun } from './verify.ts';

const merge: AuditedMerge = {
  nodeId: 'hand',
  workerId: 'writer',
  childRunId: 'r.1',
  merged: true,
  why: 'approved',
  approvedBy: ['ada', 'bo'],
  checksum: 'abcdef0123456789',
  recomputed: 'abcdef0123456789',
  matches: true,
  variables: [{ name: 'report', from: 'text', matches: true, current: true }],
};
const { checksum: _checksum, matches: _matches, ...unattested } = merge;

it.each<[string, AuditedMerge, RegExp]>([
  ['an approved value', merge, /^✓ +report +writer +r\.1 +abcdef012345 +- +ada, bo +merged as approved$/],
  ['a checksum that does not agree', { ...merge, matches: false }, /^✗ +report/],
  [
    'a value that does not agree',
    { ...merge, variables: [{ name: 'report', from: 'text', matches: false, current: true }] },
    /^✗ +report/,
  ],
  [
    'a value that was replaced',
    { ...merge, variables: [{ name: 'report', from: 'text', matches: true, current: false }] },
    /^✓ .*merged as approved, replaced since$/,
  ],
  [
    'an edit by its own checksum',
    { ...merge, why: 'edited', editedChecksum: '99999999999999' },
    / 999999999999 /,
  ],
  [
    'a value that nobody wanted a checksum for',
    { ...unattested, why: 'no-objection' },
    /^✓ +report .* - .*merged$/,
  ],
  [
    'what was rejected',
    { ...unattested, merged: false, why: 'rejected', approvedBy: [], variables: [] },
    /^· +- +writer +r\.1 +- +- +- +rejected$/,
  ],
])('shows %s in one line', (_what, given, expected) => {
  expect(verificationReport([given]).split('\n')[1]).toMatch(expected);
});

it('says that there is no such run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-verify-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const location = { kind: 'sqlite', folder } as const;
  await (await storageAt(location).openStore()).close();
  const silent = outputTo('lines', false, { print: () => {}, note: () => {} });
  await expect(verifyRun({ location, keyFile: undefined }, 'nobody', silent)).rejects.toThrow(
    /no run nobody/,
  );
});
