import { type Command, Option } from 'commander';
import { wrongUsage } from '../output/command-failure.ts';
import { EXIT } from '../output/exit-codes.ts';
import { type Output, outputFor } from '../output/output.ts';
import { withExamples } from '../settings/example-settings.ts';
import { environment, type Flags, flagOf } from '../settings/given.ts';
import { wantsColour } from '../settings/output-wishes.ts';
import { withProject } from '../settings/project-settings.ts';
import { readSettings, SETTINGS, type Settings } from '../settings.ts';
import { withJson } from './options.ts';

export interface ServeDefaults {
  /** The folder of the examples, which are served where the operator names no others. */
  readonly examplesFolder?: string;
  /** The file of the program that hosts of a cluster run, if it is not the one that runs now. */
  readonly program?: string;
  /** A file beside which a Postgres for a cluster is installed. */
  readonly postgresFrom?: string;
  /** The same for Restate. */
  readonly restateFrom?: string;
}

/** Adds the options and the action of `baton serve`. */
export function completeServe(command: Command, defaults: ServeDefaults): void {
  for (const setting of SETTINGS) {
    const value = setting.value === '' ? '' : ` <${setting.value}>`;
    const option = new Option(
      `${flagOf(setting.name)}${value}`,
      `${setting.meaning} (${setting.name}; ${setting.unset})`,
    );
    command.addOption(option);
  }
  withJson(command).action(async (flags: Flags) => {
    const out = outputFor(flags);
    const settings = settingsOf(flags, defaults, out);
    const { serve } = await import('../serve.ts');
    const colour = wantsColour(environment(), process.stdout.isTTY === true);
    await serve(settings, colour, out);
    process.exit();
  });
}

function settingsOf(flags: Flags, { examplesFolder }: ServeDefaults, out: Output): Settings {
  const given = withProject(environment(), flags);
  const env = examplesFolder === undefined ? given : withExamples(given, flags, examplesFolder);
  const reading = readSettings(env, flags);
  for (const warning of reading.warnings) out.note(`Warning: ${warning}`);
  if (reading.ok) return reading.settings;
  if (out.form === 'json') {
    throw wrongUsage('Baton cannot start with these settings.', reading.problems.join(' '));
  }
  out.note('Baton cannot start with these settings:');
  for (const problem of reading.problems) out.note(`  ${problem}`);
  return process.exit(EXIT.wrongUsage);
}
