import { HostId, problemWith } from '@baton/protocol';
import { type Parsed, parseRateLimit } from './setting-values.ts';

/** The settings for work across hosts. */
export interface PeerSettings {
  /** Without it, the id that was made with the data. */
  readonly hostId: string | undefined;
  readonly publish: readonly string[];
  /** Without it, the address on which the host listens. */
  readonly publicUrl: string | undefined;
  readonly peerRateLimit: number;
}

export const PEER_SETTINGS = [
  {
    name: 'BATON_HOST_ID',
    value: 'id',
    unset: 'an id kept with the data',
    meaning: 'id by which other hosts know this one; they have to be told when it changes',
  },
  {
    name: 'BATON_PUBLISH',
    value: 'list',
    unset: 'none',
    meaning: 'workflows and agents that A2A and MCP callers may use, separated by commas',
  },
  {
    name: 'BATON_PUBLIC_URL',
    value: 'url',
    unset: 'the address to listen on',
    meaning: 'address under which others reach this host, in its A2A card and in links',
  },
  {
    name: 'BATON_PEER_RATE_LIMIT',
    value: 'number',
    unset: '100',
    meaning: 'requests a second for each peer; 0 is no limit',
  },
] as const;

type ReadSetting = <T>(
  name: (typeof PEER_SETTINGS)[number]['name'],
  parse: (text: string) => Parsed<T>,
  unset: T,
) => T;

export function readPeerSettings(read: ReadSetting): PeerSettings {
  return {
    hostId: read<string | undefined>('BATON_HOST_ID', parseHostId, undefined),
    publicUrl: read<string | undefined>('BATON_PUBLIC_URL', parsePublicUrl, undefined),
    publish: read<readonly string[]>('BATON_PUBLISH', parseWorkerIds, []),
    peerRateLimit: read('BATON_PEER_RATE_LIMIT', parseRateLimit, 100),
  };
}

export function parseHostId(text: string): Parsed<string> {
  if (problemWith(HostId, text) === undefined) return { value: text };
  return {
    wrong: `is "${text}"; write letters, digits, points, hyphens and underscores, at most 128, such as baton-eu-1`,
  };
}

/** The address of a host, without a path. */
function parsePublicUrl(text: string): Parsed<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url !== undefined && isWeb && `${url.origin}/` === url.href) return { value: url.origin };
  return { wrong: `is "${text}"; write an address without a path, such as https://baton.example.com` };
}

/** Ids of workflows and agents, separated by commas. */
export function parseWorkerIds(text: string): Parsed<readonly string[]> {
  const ids = text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  const wrong = ids.find((id) => id.length > 256 || /^(peer|agent):/.test(id));
  if (wrong === undefined) return { value: [...new Set(ids)] };
  return {
    wrong: `names "${wrong}"; write ids of workflows and agents of this host, such as translate,local.acme.writer`,
  };
}
