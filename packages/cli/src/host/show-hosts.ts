import type { Baton } from '@baton/client';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { printable } from '../output/printable.ts';
import type { Session } from '../session.ts';

type Hosts = Awaited<ReturnType<Baton['host']['hosts']>>;

/** The hosts that share a database, as the host that was asked sees them. */
export async function showHosts({ baton, out }: Session): Promise<ExitCode> {
  const found = await baton.host.hosts();
  out.give(found, printable(described(found)));
  return EXIT.done;
}

function described({ isShared, hosts }: Hosts): string {
  const table = columns([
    ['', 'host', 'address', 'version', 'seen', 'trees', 'calls', ''],
    ...hosts.map((host) => [
      host.isThis ? '*' : '',
      host.name,
      host.url ?? '',
      host.version,
      `${(host.silentMs / 1000).toFixed(1)} s ago`,
      String(host.trees),
      String(host.effects),
      host.isDraining ? 'stops' : '',
    ]),
  ]);
  return isShared ? table : `${table}\nThis host has its data folder for itself; see BATON_DATABASE_URL.`;
}
