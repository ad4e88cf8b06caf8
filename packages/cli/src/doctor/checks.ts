import type { Check, DataFacts, Facts, HostFacts, KeyFacts, PeerFacts, ProviderFacts } from './facts.ts';

/** One function for each part that can be wrong. Each gets its facts and says what to fix. */

const MB = 1024 * 1024;
const LITTLE_SPACE = 1024 * MB;
const NO_SPACE = 100 * MB;
/** Tokens between hosts are valid for two minutes, so a larger difference of clocks makes hosts refuse each other. */
const MOST_AHEAD_MS = 60_000;
const NOTABLE_AHEAD_MS = 5_000;

export function allChecks(facts: Facts): readonly Check[] {
  return [
    checkNode(facts.node),
    ...checkSettings(facts.settings),
    checkData(facts.data),
    ...checkSpace(facts.data),
    checkHost(facts.host),
    ...checkKeys(facts.keys, facts.host),
    ...facts.models.map(checkProvider),
    ...facts.peers.map(checkPeer),
    checkClock(facts),
  ];
}

export function checkNode({ version, least }: Facts['node']): Check {
  const name = 'Node.js';
  if (isAtLeast(version, least)) return { name, state: 'ok', text: version };
  return { name, state: 'problem', text: `${version} is too old`, fix: `Install Node.js ${least} or later.` };
}

function isAtLeast(version: string, least: string): boolean {
  const [have, need] = [version, least].map((text) => text.split('.').map(Number));
  const [major = 0, minor = 0] = have ?? [];
  const [leastMajor = 0, leastMinor = 0] = need ?? [];
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

export function checkSettings({ problems, warnings }: Facts['settings']): readonly Check[] {
  const name = 'settings';
  const wrong = [
    ...problems.map(
      (text) =>
        ({ name, state: 'problem', text, fix: 'Correct it; "baton serve" refuses to start.' }) as const,
    ),
    ...warnings.map((text) => ({ name, state: 'warning', text }) as const),
  ];
  return wrong.length > 0 ? wrong : [{ name, state: 'ok', text: 'can be used' }];
}

export function checkData({ folder, state, writable }: DataFacts): Check {
  const name = 'data folder';
  const other = 'or set BATON_DATA to another folder';
  if (state === 'not-a-folder') {
    return { name, state: 'problem', text: `a part of ${folder} is a file`, fix: `Move the file, ${other}.` };
  }
  if (!writable) {
    const fix = `Change the owner or the mode, ${other}.`;
    return { name, state: 'problem', text: `${folder} cannot be written`, fix };
  }
  return {
    name,
    state: 'ok',
    text: state === 'folder' ? folder : `${folder} will be made by the first start`,
  };
}

export function checkSpace({ freeBytes, folder }: DataFacts): readonly Check[] {
  if (freeBytes === undefined) return [];
  const name = 'free space';
  const text = `${size(freeBytes)} free for ${folder}`;
  if (freeBytes >= LITTLE_SPACE) return [{ name, state: 'ok', text }];
  const fix = 'Make room, or set BATON_RETENTION so that ended runs are removed after some days.';
  return [{ name, state: freeBytes < NO_SPACE ? 'problem' : 'warning', text, fix }];
}

function size(bytes: number): string {
  return bytes >= 1024 * MB ? `${(bytes / 1024 / MB).toFixed(1)} GB` : `${Math.floor(bytes / MB)} MB`;
}

export function checkHost({ url, state, reason, heldRuns = 0 }: HostFacts): Check {
  const name = 'host';
  switch (state) {
    case 'ready':
      if (heldRuns === 0) return { name, state: 'ok', text: `answers at ${url}` };
      return {
        name,
        state: 'warning',
        text: `answers at ${url} and holds ${heldRuns} ${heldRuns === 1 ? 'run' : 'runs'} that stopped the engine`,
        fix: '"baton held" lists them, and "baton release <run>" lets one go on.',
      };
    case 'not-ready':
      return {
        name,
        state: 'problem',
        text: `${url} does not accept work: ${reason}`,
        fix: notReadyFix(reason),
      };
    case 'port-used':
      return {
        name,
        state: 'problem',
        text: `another program uses the port of ${url}`,
        fix: 'Stop that program, or choose another port with BATON_PORT (0 picks a free one).',
      };
    case 'silent':
      return {
        name,
        state: 'ok',
        text: `no host runs, and the port of ${url} is free; "baton serve" starts one`,
      };
  }
}

function notReadyFix(reason: string | undefined): string {
  if (reason === 'storage-full') return 'Make room on the disk of the data folder.';
  if (reason === 'stopping') return 'The host is about to end; start it again.';
  return 'Read the log of the host, and start it again.';
}

export function checkKeys(
  { operator, apiKeys, auditKey }: KeyFacts,
  { key, state }: HostFacts,
): readonly Check[] {
  const name = 'keys';
  const origin = {
    environment: 'BATON_API_KEY or --key',
    development: 'the development key',
    none: 'no key',
  }[operator];
  const checks: Check[] = [];
  if (key === 'refused') {
    const fix = 'Set BATON_API_KEY to a key of this host; "baton keys create" makes one on its machine.';
    checks.push({ name, state: 'problem', text: `the host does not accept ${origin}`, fix });
  } else if (key === 'none') {
    const fix = 'Give one with --key or BATON_API_KEY, or name the data folder of the host with --data.';
    checks.push({ name, state: 'problem', text: 'there is no key for the host', fix });
  } else {
    const used = key === 'accepted' ? `the host accepts ${origin}` : `${origin} will be used`;
    const made = operator === 'none' ? 'the first start makes a development key' : used;
    const others = apiKeys === undefined ? '' : `; ${apiKeys} ${apiKeys === 1 ? 'other key' : 'other keys'}`;
    checks.push({ name, state: 'ok', text: `${made}${others}` });
  }
  if (auditKey === 'unreadable') {
    const fix = 'Set BATON_AUDIT_KEY to a readable file with an Ed25519 key as PEM.';
    checks.push({ name: 'audit key', state: 'problem', text: 'cannot be read', fix });
  } else if (auditKey === 'absent' && state === 'ready') {
    checks.push({ name: 'audit key', state: 'ok', text: 'is in the data folder of the host' });
  } else {
    const text = auditKey === 'present' ? 'signs the audit trail' : 'is made by the first start';
    checks.push({ name: 'audit key', state: 'ok', text });
  }
  return checks;
}

export function checkProvider({ provider, kind, state, lastFault }: ProviderFacts): Check {
  const name = 'models';
  if (kind === 'scripted') {
    const text = `${provider} needs no key; agents answer with the scripts of their manifests`;
    return { name, state: 'ok', text };
  }
  const told = `${provider} (${kind})`;
  if (state === undefined || state === 'working') {
    return { name, state: 'ok', text: state === undefined ? `${told} is set up` : `${told} works` };
  }
  return {
    name,
    state: state === 'unavailable' ? 'problem' : 'warning',
    text: `${told} is ${state}${lastFault === undefined ? '' : `: ${lastFault}`}`,
    fix: 'Check its key and its address in BATON_MODELS or in the environment of the host.',
  };
}

export function checkPeer({ name: peer, url, state, kind }: PeerFacts): Check {
  const name = 'peer';
  switch (state) {
    case 'same':
      return {
        name,
        state: 'ok',
        text: `${peer} answers at ${url}${kind === 'a2a' ? '' : ', with the pinned id and key'}`,
      };
    case 'unreachable':
      return {
        name,
        state: 'warning',
        text: `${peer} does not answer at ${url}`,
        fix: 'Start it, or correct its address: remove the peer and add it again.',
      };
    case 'other-host':
    case 'other-key':
      return {
        name,
        state: 'problem',
        text: `${peer} at ${url} has another ${state === 'other-host' ? 'host id' : 'audit key'} than the pinned one`,
        fix: `Ask its operator. If the change was meant: baton peers remove ${peer}, then baton peers add ${peer}.`,
      };
  }
}

/** The clocks of this machine, of the host and of the peers. */
export function checkClock({ host, peers }: Pick<Facts, 'host' | 'peers'>): Check {
  const name = 'clock';
  const others = [
    { who: 'the host', ahead: host.clockAheadMs },
    ...peers.map((peer) => ({ who: `the peer ${peer.name}`, ahead: peer.clockAheadMs })),
  ].flatMap(({ who, ahead }) => (ahead === undefined ? [] : [{ who, ahead }]));
  const worst = others.sort((one, other) => Math.abs(other.ahead) - Math.abs(one.ahead))[0];
  if (worst === undefined) return { name, state: 'ok', text: 'not compared, because no other clock answers' };
  const off = Math.abs(worst.ahead);
  if (off < NOTABLE_AHEAD_MS)
    return { name, state: 'ok', text: `agrees with ${others.map(({ who }) => who).join(', ')}` };
  const text = `${worst.who} is ${Math.round(off / 1000)} s ${worst.ahead > 0 ? 'ahead of' : 'behind'} this machine`;
  const fix = 'Synchronize the clocks with NTP. Tokens between hosts are valid for two minutes.';
  return { name, state: off > MOST_AHEAD_MS ? 'problem' : 'warning', text, fix };
}
