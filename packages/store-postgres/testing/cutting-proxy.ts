import { createServer, connect as openSocket, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * How a stand-in for Postgres cuts a connection, once:
 *
 * - `before COMMIT`: Postgres gets everything before a COMMIT, and then the end of the connection.
 * - `and hold COMMIT`: the host loses the connection, but Postgres does not, and gets the COMMIT later.
 * - The others: Postgres has done what it was told, and its answer is lost.
 */
type Cut = 'before COMMIT' | 'and hold COMMIT' | keyof typeof ANSWERS;

interface CuttingProxy {
  readonly url: string;
  /** Plans cuts, one after the other. Everything else is passed on. */
  cut(...how: readonly Cut[]): void;
  /** From now on connections are refused. */
  shut(): void;
  open(): void;
  /** Ends all connections of hosts. Postgres notices it only when it answers. */
  drop(): void;
  /** Passes on nothing more from the connections that are open, and ends none of them. */
  silence(): void;
  /** Resolves when so many connections were refused. */
  refused(count: number): Promise<void>;
  /** Passes on the COMMIT that was held. */
  release(): void;
  /** Resolves when Postgres has answered everything that it was asked. A cut that is planned then meets only later answers. */
  answered(): Promise<void>;
}

/** As the protocol of Postgres has them: a type, the length and the text. */
function message(type: string, text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  return Buffer.concat([Buffer.from(type), Buffer.from([0, 0, 0, body.length + 4]), body]);
}

const ASKED = message('Q', 'COMMIT');
const ANSWERS = {
  'before the answer to COMMIT': message('C', 'COMMIT'),
  'before the answer to SELECT': message('C', 'SELECT 1'),
  'before the answer to INSERT': message('C', 'INSERT 0 1'),
};

/** What connections of the proxy have in common. */
interface Plan {
  readonly cuts: Cut[];
  readonly sockets: Set<Socket>;
  release(): void;
  /** Questions without an answer, over all connections. */
  open: number;
  whenAnswered: (() => void)[];
}

export async function cuttingProxy(url: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(url);
  const plan: Plan = {
    cuts: [],
    sockets: new Set(),
    release: () => undefined,
    open: 0,
    whenAnswered: [],
  };
  const hosts = new Set<Socket>();
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let isShut = false;
  let refusals = 0;

  const proxy = createServer((host) => {
    if (!isShut) {
      hosts.add(host);
      passOn(host, openSocket(Number(port), hostname), plan);
      return;
    }
    host.destroy();
    refusals += 1;
    for (const { count, resolve } of waiting) if (count <= refusals) resolve();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  onTestFinished(async () => {
    for (const socket of plan.sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
  const own = new URL(url);
  own.port = String(address.port);
  return {
    url: own.href,
    cut: (...how) => void plan.cuts.push(...how),
    shut() {
      isShut = true;
    },
    open() {
      isShut = false;
    },
    drop() {
      for (const host of hosts) host.destroy();
    },
    silence() {
      for (const socket of plan.sockets) socket.pause();
    },
    refused: (count) =>
      count <= refusals ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    release: () => plan.release(),
    answered: () =>
      plan.open === 0 ? Promise.resolve() : new Promise((resolve) => plan.whenAnswered.push(resolve)),
  };
}

/** Counts the messages of some types in what is sent in one direction. The first message of a host has no type. */
function messageCounter(types: string, isUntypedFirst: boolean): (data: Buffer) => number {
  let rest: Buffer = Buffer.alloc(0);
  let isUntyped = isUntypedFirst;
  return (data) => {
    rest = Buffer.concat([rest, data]);
    let count = 0;
    for (;;) {
      const at = isUntyped ? 0 : 1;
      if (rest.length < at + 4) return count;
      const end = at + rest.readUInt32BE(at);
      if (rest.length < end) return count;
      if (isUntyped || types.includes(String.fromCharCode(rest.readUInt8(0)))) count += 1;
      isUntyped = false;
      rest = rest.subarray(end);
    }
  };
}

function passOn(host: Socket, server: Socket, plan: Plan): void {
  for (const socket of [host, server]) {
    plan.sockets.add(socket);
    socket.on('error', () => undefined);
  }
  let isHeld = false;
  // A start, a query and a sync are each answered by "ready for query".
  const asked = messageCounter('QS', true);
  const ready = messageCounter('Z', false);
  host.on('data', (data) => {
    plan.open += asked(data);
    const [how] = plan.cuts;
    const at = data.indexOf(ASKED);
    if (at === -1 || (how !== 'before COMMIT' && how !== 'and hold COMMIT')) {
      server.write(data);
      return;
    }
    plan.cuts.shift();
    isHeld = how === 'and hold COMMIT';
    plan.release = () => server.end(ASKED);
    server.write(data.subarray(0, at));
    host.destroy();
  });
  server.on('data', (data) => {
    if (host.destroyed) return;
    const [how] = plan.cuts;
    const isCut = how !== undefined && how in ANSWERS && data.includes(ANSWERS[how as keyof typeof ANSWERS]);
    if (!isCut) {
      host.write(data);
      plan.open -= ready(data);
      if (plan.open === 0) for (const resolve of plan.whenAnswered.splice(0)) resolve();
      return;
    }
    plan.cuts.shift();
    host.destroy();
  });
  host.on('close', () => {
    if (!isHeld) server.end();
  });
  server.on('close', () => host.destroy());
}
