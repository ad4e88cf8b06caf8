import { isIP } from 'node:net';
import { AGENT_CHECKS, type AgentCheck } from '@baton/protocol';

/** Parsers of settings. `wrong` completes a sentence that begins with the name of the setting. */
export type Parsed<T> = { readonly value: T } | { readonly wrong: string };

export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function parseHost(text: string): Parsed<string> {
  const host = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIP(host) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(host)) return { value: host };
  return {
    wrong: `is "${text}", which is not an address; write an IP address or a host name, such as 127.0.0.1`,
  };
}

export function parsePort(text: string): Parsed<number> {
  const port = wholeNumber(text);
  if (port !== undefined && port <= 65535) return { value: port };
  return { wrong: `is "${text}", which is not a port; write a whole number from 0 to 65535, such as 4747` };
}

export function parseApiKey(text: string): Parsed<string> {
  if (!/^[\x21-\x7e]*$/.test(text)) {
    return { wrong: 'holds a space or a special character; write letters, digits and punctuation only' };
  }
  if (text.length >= 16) return { value: text };
  return {
    wrong: `has only ${text.length} characters; write at least 16 (openssl rand -hex 24 makes a good one)`,
  };
}

export function parseSealingKey(text: string): Parsed<string> {
  if (/^[0-9a-f]{64}$/i.test(text)) return { value: text };
  return { wrong: 'is not a key; write 64 hexadecimal digits (openssl rand -hex 32 makes one)' };
}

export function parseRateLimit(text: string): Parsed<number> {
  const limit = wholeNumber(text);
  if (limit !== undefined) return { value: limit };
  return { wrong: `is "${text}"; write a whole number of requests a second, such as 500, or 0 for no limit` };
}

export function parseConnections(text: string): Parsed<number> {
  const connections = wholeNumber(text);
  if (connections !== undefined && connections >= 1) return { value: connections };
  return { wrong: `is "${text}"; write a whole number of connections from 1 on, such as 2000` };
}

export function parseConnectionsPerAddress(text: string): Parsed<number> {
  const connections = wholeNumber(text);
  if (connections !== undefined) return { value: connections };
  return { wrong: `is "${text}"; write a whole number of connections, such as 200, or 0 for no limit` };
}

/** A maximum number of things. */
export function parseCount(text: string): Parsed<number> {
  const count = wholeNumber(text);
  if (count !== undefined && count >= 1) return { value: count };
  return { wrong: `is "${text}"; write a whole number from 1 on, such as 1000` };
}

const MEGA = 1024 * 1024;
/** The state of a run is stored as one text, and a text in Node.js has at most 512 MB. */
const MAX_STATE_MEGA = 128;
const MAX_STORAGE_MEGA = 1_000_000_000;

/** The result is in characters: 1 megabyte is 1,048,576 characters. */
export function parseStateSize(text: string): Parsed<number> {
  const mega = wholeNumber(text);
  if (mega !== undefined && mega >= 1 && mega <= MAX_STATE_MEGA) return { value: mega * MEGA };
  return { wrong: `is "${text}"; write a whole number of megabytes from 1 to ${MAX_STATE_MEGA}, such as 4` };
}

/** The result is in bytes. */
export function parseStorage(text: string): Parsed<number> {
  const mega = wholeNumber(text);
  if (mega !== undefined && mega <= MAX_STORAGE_MEGA) return { value: mega * MEGA };
  return { wrong: `is "${text}"; write a whole number of megabytes, such as 2000, or 0 for no limit` };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The setting is in days, the result in milliseconds. */
export function parseDays(text: string): Parsed<number> {
  const days = wholeNumber(text);
  if (days !== undefined && days >= 1 && days <= 36_500) return { value: days * DAY_MS };
  return { wrong: `is "${text}"; write a whole number of days, such as 90` };
}

/** The protocol requires a floor of at least 0.5. */
export function parseConfidenceFloor(text: string): Parsed<number> {
  const floor = /^\d(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (floor >= 0.5 && floor <= 1) return { value: floor };
  return { wrong: `is "${text}"; write a number from 0.5 to 1, such as 0.7` };
}

export function parseOrigins(text: string): Parsed<readonly string[]> {
  const origins = text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '');
  const wrong = origins.find((origin) => !isOrigin(origin));
  if (wrong === undefined) return { value: origins };
  return {
    wrong: `names "${wrong}", which is not an origin; write each as https://host or http://host:port, without a path`,
  };
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export function parseLogLevel(text: string): Parsed<LogLevel> {
  const level = LOG_LEVELS.find((known) => known === text);
  if (level !== undefined) return { value: level };
  return { wrong: `is "${text}"; write one of ${LOG_LEVELS.join(', ')}` };
}

export type ModelCache = 'off' | 'tenant';

export function parseModelCache(text: string): Parsed<ModelCache> {
  if (text === 'off' || text === 'tenant') return { value: text };
  return { wrong: `is "${text}"; write tenant to reuse answers within a tenant, or off` };
}

export function parseAgentChecks(text: string): Parsed<readonly AgentCheck[]> {
  if (text === 'none') return { value: [] };
  const named = text.split(',').map((name) => name.trim());
  const value = AGENT_CHECKS.filter((check) => named.includes(check));
  if (value.length === named.length) return { value };
  return { wrong: `is "${text}"; write ${AGENT_CHECKS.join(', ')}, both with a comma in between, or none` };
}

export function parseSwitch(text: string): Parsed<boolean> {
  if (text === '1' || text === 'true') return { value: true };
  if (text === '0' || text === 'false') return { value: false };
  return { wrong: `is "${text}"; write 1 to switch it on, or leave it out` };
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
