import { moveStorage } from '@baton/server/move-storage';
import { storageAt } from '@baton/server/storage';
import { findingsReport } from '../chain-report.ts';
import { painterOn } from '../live/painter.ts';
import { CommandFailure, wrongUsage } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { auditKeyFile, dataFolder, type Environment, type Flags } from '../settings/given.ts';
import { auditOf } from '../verify.ts';

/** Moves the data of a stopped host into Postgres. The copy is checked like the stored logs of a host. */
export async function moveData(env: Environment, flags: Flags, out: Output): Promise<ExitCode> {
  const from = { kind: 'sqlite', folder: dataFolder(env, flags) } as const;
  const to = { kind: 'postgres', url: postgresUrl(flags.to) } as const;
  const [data, database] = [storageAt(from).name, storageAt(to).name];
  const progress = progressOn(out);
  const moved = await moveStorage(from, to, progress.told).finally(progress.end).catch(namingTarget);
  const { findings, checked, newest } = await auditOf(
    { location: to, keyFile: auditKeyFile(env, flags) },
    out,
  );
  const agrees = findings.length === 0;
  out.give({ data, database, moved, agrees, findings: findings.length, checked, checkpoint: newest }, '');
  if (!agrees) {
    out.give({ findings }, findingsReport(findings));
    out.note(
      `The data are in ${database}, but their audit has findings. If "baton verify --data ${data}" has the same ones, ` +
        'they were there before.',
    );
    return EXIT.failed;
  }
  out.note(`Moved ${summary(moved)} from ${data} to ${database}.`);
  out.note(auditSummary(newest, checked.unsigned));
  out.note(
    'The data folder is unchanged. Start the host with BATON_DATABASE_URL from now on, and not with the data folder: ' +
      'it would do again what the other one does.',
  );
  return EXIT.done;
}

/** Messages about a database name the setting of a host, from which this command does not have the address. */
function namingTarget(error: unknown): never {
  if (!(error instanceof Error && error.message.includes('BATON_DATABASE_URL'))) throw error;
  throw new CommandFailure(error.message.replaceAll('BATON_DATABASE_URL', '--to'), { cause: error });
}

function postgresUrl(given: unknown): string {
  const url = String(given);
  if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return url;
  throw wrongUsage(
    '--to must be the address of a Postgres database.',
    'For example: --to postgres://user:password@db.example:5432/baton',
  );
}

interface Progress {
  told(events: number, total: number): void;
  end(): void;
}

/** Only a terminal shows it. */
function progressOn(out: Output): Progress {
  if (out.form !== 'terminal') return { told: () => undefined, end: () => undefined };
  const painter = painterOn(process.stdout);
  return {
    told: (events, total) => painter.draw([`${events} of ${total} events`]),
    end: () => painter.finish([]),
  };
}

/** What an operator knows by name. Tables that are empty are left out. */
const TOLD: readonly (readonly [table: string, one: string])[] = [
  ['runs', 'run'],
  ['events', 'event'],
  ['workflows', 'workflow'],
  ['interrupts', 'open question'],
  ['entries', 'memory row'],
  ['api_keys', 'key'],
  ['secrets', 'secret'],
  ['webhooks', 'webhook'],
  ['webhook_deliveries', 'waiting delivery'],
  ['peers', 'peer'],
];

function summary(moved: Readonly<Record<string, number>>): string {
  const parts = TOLD.flatMap(([table, one]) => {
    const count = moved[table] ?? 0;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : several(one)}`];
  });
  return parts.length === 0 ? 'nothing but the keys of the host' : parts.join(', ');
}

function several(one: string): string {
  return one.endsWith('y') && !one.endsWith('key') ? `${one.slice(0, -1)}ies` : `${one}s`;
}

function auditSummary(newest: number, unsigned: number): string {
  const rest =
    unsigned === 0
      ? ''
      : ` ${unsigned} ${unsigned === 1 ? 'run has' : 'runs have'} events that the first host signs.`;
  return newest === 0
    ? `The audit chain is verified.${rest}`
    : `The audit chain is verified up to checkpoint ${newest}.${rest}`;
}
