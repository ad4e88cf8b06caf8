import type { Baton } from '@baton/client';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { printable } from '../output/printable.ts';
import type { Session } from '../session.ts';

type HostFacts = Awaited<ReturnType<Baton['host']['facts']>>;

/** The facts about a host that its operator may read. */
export async function showHost({ baton, out }: Session): Promise<ExitCode> {
  const facts = await baton.host.facts();
  out.give(facts, printable(described(facts)));
  return EXIT.done;
}

function described({ id, version, startedAt, storage, retention, limits, keys }: HostFacts): string {
  return columns([
    ['host', id],
    ['version', version],
    ['started (UTC)', startedAt.slice(0, 19).replace('T', ' ')],
    ['storage', `${storage.kind}, ${sizeOf(storage.bytes)}`],
    ['runs', `${storage.runs}, with ${storage.events} events`],
    ['runs are kept', keptFor(retention.runsMs) ?? 'until they are erased'],
    ['memory is kept', keptFor(retention.memoryMs) ?? 'until it is erased'],
    ['keys', String(keys.count)],
    ...Object.entries(limits).map(([name, limit]) => [name, String(limit)]),
  ]);
}

const UNITS = ['kB', 'MB', 'GB', 'TB'];

function sizeOf(bytes: number): string {
  let [size, unit] = [bytes, 'bytes'];
  for (const larger of UNITS) {
    if (size < 1000) break;
    [size, unit] = [size / 1000, larger];
  }
  return `${unit === 'bytes' ? size : size.toFixed(1)} ${unit}`;
}

const DURATIONS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const;

function keptFor(ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined;
  const [name, length] = DURATIONS.find(([, one]) => ms % one === 0) ?? ['milliseconds', 1];
  return `for ${ms / length} ${name}`;
}
