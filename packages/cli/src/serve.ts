import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readAgentsFolder } from '@baton/agents';
import { DEFAULT_SETTINGS, type Host, locationIn, startHost } from '@baton/server';
import type { BundleSummary } from '@baton/server/open-bundle';
import { type StoredKeys, storageAt } from '@baton/server/storage';
import { readWorkflowsFolder } from '@baton/server/workflows-folder';
import { banner } from './banner.ts';
import { consoleFolder } from './console/console-folder.ts';
import type { Output } from './output/output.ts';
import { USUAL_DATA_FOLDER } from './settings/given.ts';
import type { Settings } from './settings.ts';
import { stopOnSignal } from './stop-signals.ts';
import { version } from './version.ts';

/** A normal stop takes less time. After this time the stop is considered hung. */
const PATIENCE_MS = 10_000;

/**
 * Runs a host until a signal stops it. `--json` prints one object when the host is ready, then the lines of its log.
 * `bundle`: the host was made to show the runs of this bundle, and its link leads to the run that was exported.
 */
export async function serve(
  settings: Settings,
  colour: boolean,
  out: Output,
  bundle?: BundleSummary,
): Promise<void> {
  const dataFolder = resolve(settings.dataFolder);
  const { workflowsFolder, agentsFolder } = settings;
  requireFolder(workflowsFolder, 'BATON_WORKFLOWS', 'workflow JSON files');
  requireFolder(agentsFolder, 'BATON_AGENTS', 'agents');
  const storage = storageAt(locationIn({ dataFolder, databaseUrl: settings.databaseUrl }));
  const apiKey = settings.apiKey ?? (await developmentKey(storage));
  const pages = settings.console ? consoleFolder() : undefined;
  const host = await startHost({
    ...DEFAULT_SETTINGS,
    ...settings,
    dataFolder,
    apiKey,
    ...(pages !== undefined && { consoleFolder: pages }),
  });
  // Before the banner is printed, because a program that reads the banner may send a signal at once.
  const stop = async () => {
    await storage.removeAddress();
    await host.stop();
  };
  const patienceMs = PATIENCE_MS + (settings.databaseUrl === undefined ? 0 : settings.drainMs);
  const stopped = stopOnSignal(() => withinPatience(stop(), patienceMs), process, Date.now, out.note);
  await storage.leaveAddress(onThisMachine(host.url));
  const started = {
    version: version(),
    ...(pages !== undefined && { consoleLink: linkTo(bundle?.runId, consoleLink(host, settings)) }),
    url: host.url,
    dataFolder: settings.databaseUrl === undefined ? dataFolder : storage.name,
    workflows: workflowIds(workflowsFolder),
    agents: agentIds(agentsFolder),
    heldRuns: host.heldRuns,
    ...(bundle !== undefined && { bundle }),
    ...(settings.apiKey === undefined && { developmentKey: apiKey }),
  };
  out.give(started, banner({ ...started, usualDataFolder: resolve(USUAL_DATA_FOLDER) }, colour));
  await stopped;
}

const TEN_MINUTES_MS = 600_000;

/**
 * The development key is printed with the link, so the link may stay valid. Where the operator has set a key, the
 * output may be kept as a log that more people can read, so the link is valid for ten minutes.
 */
function consoleLink(host: Host, { apiKey }: Settings): string {
  return host.operatorLink(apiKey === undefined ? undefined : TEN_MINUTES_MS);
}

function linkTo(runId: string | undefined, link: string): string {
  return runId === undefined ? link : link.replace('/#', `/runs/${encodeURIComponent(runId)}#`);
}

/** A host that listens on all addresses of the machine is reached by its loopback address. */
function onThisMachine(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

function withinPatience(stopped: Promise<void>, patienceMs: number): Promise<void> {
  return new Promise((done, fail) => {
    const give = () => fail(new Error('The host did not stop in time; it recovers at the next start.'));
    const timer = setTimeout(give, patienceMs);
    stopped.then(done, fail).finally(() => clearTimeout(timer));
  });
}

const SHORTEST = 16;

/**
 * The key of a host that was started without a key. It is kept, so that copied commands work after a restart.
 */
export async function developmentKey(keys: StoredKeys): Promise<string> {
  const make = () => `baton_dev_${randomBytes(24).toString('base64url')}`;
  const { text } = await keys.keepKey('development', make, (kept) => kept.length >= SHORTEST);
  return text;
}

/** The ids of the workflows in a folder, for the banner. */
function workflowIds(folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  return readWorkflowsFolder(folder)
    .flatMap(({ definition }) => idIn(definition))
    .sort();
}

/** The ids of the agents in a folder, for the banner. */
function agentIds(folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  return readAgentsFolder(folder)
    .map(({ agent }) => agent.agentId)
    .sort();
}

function requireFolder(folder: string | undefined, setting: string, contents: string): void {
  if (folder === undefined || existsSync(folder)) return;
  throw new Error(`There is no folder ${folder}; set ${setting} to one that holds ${contents}.`);
}

function idIn(definition: unknown): readonly string[] {
  const named = typeof definition === 'object' && definition !== null && 'id' in definition;
  return named && typeof definition.id === 'string' ? [definition.id] : [];
}
