import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type BundleSummary, openBundleFile } from '@baton/server/open-bundle';
import { CommandFailure, notFound, wrongUsage } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { serve } from '../serve.ts';
import { type Environment, environment, type Flags } from '../settings/given.ts';
import { wantsColour } from '../settings/output-wishes.ts';
import { withProject } from '../settings/project-settings.ts';
import { readSettings, type Settings } from '../settings.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * `baton open <bundle>`: verifies a bundle and serves its runs on this machine, from a data folder that is removed at
 * the end. With `--check` it only verifies.
 */
export async function openBundle(file: string, flags: Flags, out: Output): Promise<ExitCode> {
  if (!existsSync(file)) throw notFound(`There is no bundle at ${file}.`);
  const trusted = textIn(flags.trusted);
  if (flags.check === true) {
    const summary = await verified({ file, trusted });
    out.give(summary, '');
    out.note(summaryText(summary));
    return EXIT.done;
  }
  const keptFolder = textIn(flags.data);
  const folder = keptFolder === undefined ? temporaryFolder() : requireEmpty(resolve(keptFolder));
  // Read first, so that a wrong setting is reported before a large bundle is read.
  const settings = settingsIn(environment(), folder);
  const summary = await verified({ file, folder, trusted });
  out.note(summaryText(summary));
  await serve(settings, wantsColour(environment(), process.stdout.isTTY === true), out, summary);
  if (keptFolder !== undefined)
    out.note(`Everything is in ${folder}; "baton serve --data ${folder}" serves it.`);
  return EXIT.done;
}

async function verified(opening: Parameters<typeof openBundleFile>[0]): Promise<BundleSummary> {
  try {
    return await openBundleFile(opening);
  } catch (problem) {
    if (!(problem instanceof Error && problem.name === 'BundleRefusal')) throw problem;
    throw new CommandFailure(problem.message, { code: 'bundle_refused', cause: problem });
  }
}

function textIn(flag: unknown): string | undefined {
  return typeof flag === 'string' ? flag : undefined;
}

function requireEmpty(folder: string): string {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw wrongUsage(`The folder ${folder} is not empty.`, 'A bundle is opened in a folder of its own.');
  }
  return folder;
}

/** What forks may need: workflows and agents, models and tools. All else belongs to a host that stays. */
const USED = new Set([
  'BATON_WORKFLOWS',
  'BATON_AGENTS',
  'BATON_MODELS',
  'BATON_TOOLS',
  'BATON_SECRETS_FILE',
  'BATON_SEALING_KEY',
  'BATON_CONFIDENCE_FLOOR',
  'BATON_AGENT_CHECKS',
  'BATON_LOG_LEVEL',
]);

/** Of the loopback address, with any free port. Settings for sharing, retention and traces are left out. */
function settingsIn(env: Environment, folder: string): Settings {
  const kept = Object.entries(env).filter(([name]) => USED.has(name) || !/^(BATON|OTEL)_/.test(name));
  const given = withProject({ ...Object.fromEntries(kept), BATON_DATA: folder, BATON_PORT: '0' }, {});
  const reading = readSettings(given, {});
  if (reading.ok) return reading.settings;
  throw wrongUsage('Baton cannot open a bundle with these settings.', reading.problems.join(' '));
}

function summaryText({
  runId,
  workflowId,
  runs,
  events,
  status,
  host,
  generatedAt,
  ...proofs
}: BundleSummary): string {
  const { verified: isVerified, signedBy } = proofs;
  const chain = isVerified
    ? 'Every log agrees with its hash chain.'
    : 'Not every log could be checked: values were masked, or a log has no hash chain.';
  const signature = signedBy === undefined ? 'No trusted key was given.' : `Signed with ${signedBy}.`;
  return (
    `${runs} ${runs === 1 ? 'run' : 'runs'} with ${events} events, of ${host.name} ${host.version} at ${generatedAt}: ` +
    `${workflowId} ${runId} (${status}).\n${chain} ${signature}`
  );
}
