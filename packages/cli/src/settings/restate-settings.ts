import { POOLS } from '@baton/engine/ports';
import type { RestateSettings } from '@baton/server';
import { type Parsed, parseHost, parsePort } from './setting-values.ts';

/** The settings of hosts that leave it to Restate which of them performs an effect or rings a deadline. */

const USUAL_LISTEN = { host: '127.0.0.1', port: 9080 };

export const RESTATE_SETTINGS = [
  {
    name: 'BATON_RESTATE_URL',
    value: 'url',
    unset: 'a host performs the effects that it intends',
    meaning:
      'with BATON_DATABASE_URL: Restate at this address (its ingress) chooses the hosts that perform effects and ring deadlines',
  },
  {
    name: 'BATON_RESTATE_LISTEN',
    value: 'address',
    unset: `${USUAL_LISTEN.host}:${USUAL_LISTEN.port}`,
    meaning: 'host and port at which this host takes the calls of Restate; nobody else should reach it',
  },
  {
    name: 'BATON_RESTATE_ADMIN',
    value: 'url',
    unset: 'the operator registers the hosts',
    meaning: "address of Restate's admin API, at which the host registers BATON_RESTATE_ENDPOINT",
  },
  {
    name: 'BATON_RESTATE_ENDPOINT',
    value: 'url',
    unset: 'the operator registers the hosts',
    meaning: 'address at which Restate reaches this host and those like it, normally a balancer',
  },
  {
    name: 'BATON_RESTATE_IDENTITY_KEY',
    value: 'key',
    unset: 'calls are not checked',
    meaning: 'public key with which calls of Restate are checked, as Restate prints it: publickeyv1_…',
  },
  {
    name: 'BATON_PERFORM',
    value: 'list',
    unset: POOLS.join(','),
    meaning:
      'with BATON_RESTATE_URL: the kinds of effects that this host performs; alarm: it rings deadlines',
  },
] as const;

type Name = (typeof RESTATE_SETTINGS)[number]['name'];
type Read = <T>(name: Name, parse: (text: string) => Parsed<T>, unset: T) => T;

interface Given {
  readonly databaseUrl: string | undefined;
  /** The names of these settings that are set. */
  readonly names: readonly string[];
}

export function readRestateSettings(
  read: Read,
  { databaseUrl, names }: Given,
  problems: string[],
): RestateSettings | undefined {
  const url = read<string | undefined>('BATON_RESTATE_URL', parseAddress, undefined);
  const settings = {
    listen: read('BATON_RESTATE_LISTEN', parseListen, USUAL_LISTEN),
    perform: read<readonly string[]>('BATON_PERFORM', parsePools, POOLS),
    adminUrl: read<string | undefined>('BATON_RESTATE_ADMIN', parseAddress, undefined),
    endpointUrl: read<string | undefined>('BATON_RESTATE_ENDPOINT', parseAddress, undefined),
    identityKey: read<string | undefined>('BATON_RESTATE_IDENTITY_KEY', parseIdentityKey, undefined),
  };
  const wasGiven = (name: Name) => names.includes(name);
  if (!wasGiven('BATON_RESTATE_URL')) {
    const idle = RESTATE_SETTINGS.map(({ name }) => name).filter(wasGiven);
    problems.push(...idle.map((name) => `${name} ${WITHOUT_RESTATE}`));
    return undefined;
  }
  if (databaseUrl === undefined) problems.push(`BATON_RESTATE_URL ${WITHOUT_DATABASE}`);
  if (wasGiven('BATON_RESTATE_ADMIN') !== wasGiven('BATON_RESTATE_ENDPOINT'))
    problems.push(
      'BATON_RESTATE_ADMIN and BATON_RESTATE_ENDPOINT belong together: set both, so that the host registers itself, ' +
        'or none, and register it with the command of Restate',
    );
  return url === undefined ? undefined : { url, ...settings };
}

const WITHOUT_RESTATE =
  'has no effect without Restate, because each host then performs the effects that it intends; set BATON_RESTATE_URL, ' +
  'or leave it out';

const WITHOUT_DATABASE =
  'needs hosts that share a database, because Restate may ask any of them to perform an effect; set BATON_DATABASE_URL';

function parseAddress(text: string): Parsed<string> {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  return isHttp
    ? { value: text.replace(/\/+$/, '') }
    : { wrong: `is "${text}", which is not an address; write one such as http://restate.internal:8080` };
}

function parseListen(text: string): Parsed<RestateSettings['listen']> {
  const at = text.lastIndexOf(':');
  const host = parseHost(text.slice(0, Math.max(0, at)));
  const port = parsePort(text.slice(at + 1));
  if (at > 0 && 'value' in host && 'value' in port) return { value: { host: host.value, port: port.value } };
  return { wrong: `is "${text}"; write a host and a port, such as 127.0.0.1:9080` };
}

function parsePools(text: string): Parsed<readonly string[]> {
  const named = text.split(',').map((name) => name.trim());
  const unknown = named.filter((name) => !POOLS.includes(name));
  return unknown.length === 0
    ? { value: [...new Set(named)] }
    : { wrong: `names "${unknown.join(', ')}"; the kinds are ${POOLS.join(', ')}` };
}

function parseIdentityKey(text: string): Parsed<string> {
  return /^publickeyv1_[A-Za-z0-9]+$/.test(text)
    ? { value: text }
    : { wrong: 'is not a key; Restate prints it at its start, and it begins with publickeyv1_' };
}
