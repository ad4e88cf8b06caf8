import { readFileSync } from 'node:fs';

/** How many connections a host holds, and how long it waits for each client. */
export interface ConnectionLimits {
  /** Connections at once. When there are more, the one that has waited longest without a request is cut. */
  readonly total: number;
  /** Connections beyond `total` that are answered on the health routes only. */
  readonly reserve: number;
  /** Connections from one remote address. `undefined`: no bound. */
  readonly perAddress: number | undefined;
  /** Connections from this machine may come from a proxy. They are bounded only if the operator says so. */
  readonly boundsLoopback: boolean;
  /** Requests of one tenant that are open at once, streams and waits included. */
  readonly perTenant: number;
}

/** Timeouts of connections, in milliseconds. */
export interface ConnectionPatience {
  /** From the first byte of a connection, or the end of the request before, to the end of the headers. */
  readonly headersMs: number;
  /** From the same moment to the end of the body. */
  readonly requestMs: number;
  /** How long a client may leave the data of one write unread. */
  readonly readerMs: number;
  /** How long a refused client has to close its connection before the connection is cut. */
  readonly lingerMs: number;
  /** How long a host that stops keeps a connection without a request: one may be on its way. */
  readonly quietMs: number;
  /** How long a host that stops waits for requests under way. Then it cuts their connections. */
  readonly stopMs: number;
  /** How often the timeouts of running hosts are checked. */
  readonly checkEveryMs: number;
}

export const PATIENCE: ConnectionPatience = {
  headersMs: 10_000,
  requestMs: 30_000,
  readerMs: 120_000,
  lingerMs: 1000,
  quietMs: 100,
  stopMs: 4000,
  checkEveryMs: 5000,
};

const MOST = 10_000;
/** File descriptors for the database, other files and calls to the outside. */
const KEPT_FOR_FILES = 96;
const RESERVE = 16;

/** What an operator has set. */
interface ConnectionSettings {
  readonly maxConnections?: number;
  readonly maxConnectionsPerAddress?: number;
}

export function connectionLimits(
  { maxConnections, maxConnectionsPerAddress }: ConnectionSettings,
  openFiles: number,
): ConnectionLimits {
  const room = Math.max(RESERVE, openFiles - KEPT_FOR_FILES - RESERVE);
  const total = Math.min(maxConnections ?? MOST, room);
  const perAddress = maxConnectionsPerAddress ?? Math.ceil(total / 4);
  return {
    total,
    reserve: RESERVE,
    perAddress: perAddress === 0 ? undefined : perAddress,
    boundsLoopback: maxConnectionsPerAddress !== undefined,
    perTenant: Math.ceil(total / 2),
  };
}

/** Used when the system does not tell its limit. Most systems allow at least this many. */
const USUAL = 1024;

/** How many files and sockets this process may have open at once. */
export function openFilesAllowed(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    if (limit !== undefined) return Number(limit);
  } catch {
    // Only Linux has this file. Elsewhere the limit is read from the process report, which takes longer.
  }
  return fromReport() ?? USUAL;
}

function fromReport(): number | undefined {
  const { userLimits } = (process.report?.getReport() ?? {}) as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}
