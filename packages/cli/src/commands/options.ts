import type { StorageLocation } from '@baton/server/storage';
import { type Command, Option } from 'commander';
import { findHost } from '../over-http/find-host.ts';
import type { RunningHost } from '../over-http/running-host.ts';
import { environment, type Flags, storageLocation } from '../settings/given.ts';

/** Options that several commands have. */

export function withData(command: Command): Command {
  return command.option('--data <folder>', 'folder that holds everything stored (BATON_DATA; ./.baton)');
}

export function withHost(command: Command): Command {
  return withData(command)
    .option('--url <address>', 'the running host (BATON_URL; the address in the data folder, else port 4747)')
    .option('--key <key>', 'a key of the host (BATON_API_KEY; the development key in the data folder)')
    .addOption(new Option('--api-key <key>', 'the same as --key').hideHelp());
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON object a line, the result last');
}

export function hostOf(flags: Flags): RunningHost {
  return findHost(environment(), flags);
}

export function locationOf(flags: Flags): StorageLocation {
  return storageLocation(environment(), flags);
}
