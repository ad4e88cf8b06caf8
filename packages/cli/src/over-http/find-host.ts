import { type LeftByHost, leftByHost } from '@baton/server/left-by-host';
import { isLoopback } from '../loopback.ts';
import { type Environment, type Flags, find, storageLocation } from '../settings/given.ts';
import type { RunningHost } from './running-host.ts';

/**
 * The host that a command talks to: the one that `--url` or `BATON_URL` names, else the one on this machine whose port
 * is set, else the one that left its address in the data folder, else the one at the usual port.
 */
export function findHost(env: Environment, flags: Flags): RunningHost {
  const left = leftByHost(storageLocation(env, flags));
  const url = addressOf(env, flags, left).replace(/\/+$/, '');
  return { url, apiKey: keyFor(url, env, flags, left) };
}

function addressOf(env: Environment, flags: Flags, left: LeftByHost): string {
  const port = find('BATON_PORT', env, flags)?.text;
  const scheme = find('BATON_TLS_CERT', env, flags) === undefined ? 'http' : 'https';
  return (
    find('BATON_URL', env, flags)?.text ??
    (port === undefined ? left.url : `${scheme}://127.0.0.1:${port}`) ??
    `${scheme}://127.0.0.1:4747`
  );
}

/** The development key is that of a host on this machine, so it is not sent to another one. */
function keyFor(url: string, env: Environment, flags: Flags, left: LeftByHost): string | undefined {
  if (typeof flags.key === 'string') return flags.key;
  const given = find('BATON_API_KEY', env, flags)?.text;
  if (given !== undefined) return given;
  return isOnThisMachine(url) ? left.developmentKey : undefined;
}

function isOnThisMachine(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}
