import { describe, expect, it } from 'vitest';
import { paintFor } from '../output/output.ts';
import {
  allChecks,
  checkClock,
  checkData,
  checkHost,
  checkKeys,
  checkNode,
  checkPeer,
  checkProvider,
  checkSettings,
  checkSpace,
} from './checks.ts';
import { reportText } from './doctor.ts';
import type { Facts, HostFacts, PeerFacts } from './facts.ts';
import { clockAhead } from './host-facts.ts';

const host: HostFacts = { url: 'http://127.0.0.1:4747', state: 'ready', key: 'accepted', clockAheadMs: 100 };
const peer: PeerFacts = { name: 'acme', url: 'https://acme.example', kind: 'baton', state: 'same' };
const GB = 1024 ** 3;

const well: Facts = {
  node: { version: '22.1.0', least: '20.19' },
  settings: { problems: [], warnings: [] },
  data: { folder: '/data', state: 'folder', writable: true, freeBytes: 40 * GB },
  host,
  keys: { operator: 'development', apiKeys: 2, auditKey: 'present' },
  models: [{ provider: 'openai', kind: 'openai', state: 'working' }],
  peers: [peer],
};

describe('doctor', () => {
  it('tells what it looked at when all is well', () => {
    const checks = allChecks(well);
    expect(checks.every(({ state, fix }) => state === 'ok' && fix === undefined)).toBe(true);
    expect(reportText(checks, { paint: paintFor(false) })).toMatchInlineSnapshot(`
      "✓ Node.js      22.1.0
      ✓ settings     can be used
      ✓ data folder  /data
      ✓ free space   40.0 GB free for /data
      ✓ host         answers at http://127.0.0.1:4747
      ✓ keys         the host accepts the development key; 2 other keys
      ✓ audit key    signs the audit trail
      ✓ models       openai (openai) works
      ✓ peer         acme answers at https://acme.example, with the pinned id and key
      ✓ clock        agrees with the host

      All is well."
    `);
  });

  it('puts what to do below each problem', () => {
    const checks = allChecks({
      ...well,
      data: { ...well.data, freeBytes: GB / 2 },
      host: { ...host, key: 'refused' },
      peers: [{ ...peer, state: 'other-key', clockAheadMs: -95_000 }],
    });
    expect(reportText(checks, { paint: paintFor(false) })).toMatchInlineSnapshot(`
      "✓ Node.js      22.1.0
      ✓ settings     can be used
      ✓ data folder  /data
      ! free space   512 MB free for /data
                     → Make room, or set BATON_RETENTION so that ended runs are removed after some days.
      ✓ host         answers at http://127.0.0.1:4747
      ✗ keys         the host does not accept the development key
                     → Set BATON_API_KEY to a key of this host; "baton keys create" makes one on its machine.
      ✓ audit key    signs the audit trail
      ✓ models       openai (openai) works
      ✗ peer         acme at https://acme.example has another audit key than the pinned one
                     → Ask its operator. If the change was meant: baton peers remove acme, then baton peers add acme.
      ✗ clock        the peer acme is 95 s behind this machine
                     → Synchronize the clocks with NTP. Tokens between hosts are valid for two minutes.

      3 problems and 1 warning; follow the arrows."
    `);
  });

  it.each([
    ['20.19.0', 'ok'],
    ['20.18.3', 'problem'],
    ['21.0.0', 'ok'],
    ['18.20.1', 'problem'],
    ['100.0.0', 'ok'],
  ])('Node.js %s: %s', (version, state) => {
    expect(checkNode({ version, least: '20.19' }).state).toBe(state);
  });

  it('repeats every problem and warning of the settings', () => {
    const checks = checkSettings({
      problems: ['BATON_PORT is wrong'],
      warnings: ['BATON_PROT is not known'],
    });
    expect(checks.map(({ state, text }) => [state, text])).toEqual([
      ['problem', 'BATON_PORT is wrong'],
      ['warning', 'BATON_PROT is not known'],
    ]);
  });

  it.each([
    [{ state: 'absent', writable: true } as const, 'ok', /will be made/],
    [{ state: 'folder', writable: false } as const, 'problem', /cannot be written/],
    [{ state: 'not-a-folder', writable: true } as const, 'problem', /is a file/],
  ])('data folder %j: %s', (facts, state, text) => {
    expect(checkData({ folder: '/data', ...facts })).toMatchObject({
      state,
      text: expect.stringMatching(text),
    });
  });

  it.each([
    [undefined, []],
    [2 * GB, ['ok']],
    [GB / 2, ['warning']],
    [GB / 20, ['problem']],
  ])('free space %d: %j', (freeBytes, states) => {
    const facts = { folder: '/data', state: 'folder', writable: true } as const;
    const checks = checkSpace(freeBytes === undefined ? facts : { ...facts, freeBytes });
    expect(checks.map(({ state }) => state)).toEqual(states);
  });

  it.each([
    [{ state: 'ready', heldRuns: 1 } as const, 'warning', /holds 1 run /],
    [{ state: 'not-ready', reason: 'storage-full' } as const, 'problem', /storage-full/],
    [{ state: 'port-used' } as const, 'problem', /another program/],
    [{ state: 'silent' } as const, 'ok', /"baton serve" starts one/],
  ])('host %j: %s', (facts, state, text) => {
    expect(checkHost({ url: host.url, ...facts })).toMatchObject({
      state,
      text: expect.stringMatching(text),
    });
  });

  it.each([
    ['accepted', 'environment', 'present', ['ok', 'ok']],
    ['refused', 'environment', 'present', ['problem', 'ok']],
    ['none', 'none', 'absent', ['problem', 'ok']],
    [undefined, 'none', 'absent', ['ok', 'ok']],
    ['accepted', 'development', 'unreadable', ['ok', 'problem']],
  ] as const)(
    'a key that is %s, from %s, and an audit key that is %s: %j',
    (key, operator, auditKey, states) => {
      const facts = key === undefined ? { url: host.url, state: 'silent' as const } : { ...host, key };
      expect(checkKeys({ operator, auditKey }, facts).map(({ state }) => state)).toEqual(states);
    },
  );

  it.each([
    [{ kind: 'scripted' }, 'ok'],
    [{ kind: 'openai' }, 'ok'],
    [{ kind: 'openai', state: 'failing', lastFault: 'rate_limited' }, 'warning'],
    [{ kind: 'openai', state: 'unavailable' }, 'problem'],
  ])('provider %j: %s', (facts, state) => {
    expect(checkProvider({ provider: 'one', ...facts }).state).toBe(state);
  });

  it.each([
    ['same', 'ok'],
    ['unreachable', 'warning'],
    ['other-host', 'problem'],
    ['other-key', 'problem'],
  ] as const)('a peer that is %s: %s', (found, state) => {
    expect(checkPeer({ ...peer, state: found }).state).toBe(state);
  });

  it.each([
    [0, 'ok'],
    [-4_000, 'ok'],
    [30_000, 'warning'],
    [-90_000, 'problem'],
  ])('a peer whose clock is %d ms ahead: %s', (clockAheadMs, state) => {
    const check = checkClock({ host, peers: [{ ...peer, clockAheadMs }] });
    expect(check.state).toBe(state);
    if (state !== 'ok') expect(check.text).toContain(clockAheadMs > 0 ? 'ahead of' : 'behind');
  });

  it('reads the clock of another host from the header of its answer', () => {
    const now = Date.parse('2026-01-01T00:00:00.500Z');
    expect(clockAhead('Thu, 01 Jan 2026 00:00:10 GMT', now)).toBe(10_000);
    expect(clockAhead(null, now)).toBeUndefined();
    expect(clockAhead('soon', now)).toBeUndefined();
  });
});
