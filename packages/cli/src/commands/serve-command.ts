import { type Command, Option } from 'commander';
import { EXIT } from '../output/exit-codes.ts';
import { withExamples } from '../settings/example-settings.ts';
import { environment, type Flags, flagOf } from '../settings/given.ts';
import { wantsColour } from '../settings/output-wishes.ts';
import { withProject } from '../settings/project-settings.ts';
import { readSettings, SETTINGS, type Settings } from '../settings.ts';
import { terminal } from '../terminal.ts';

export interface ServeDefaults {
  /** The folder of the examples, which are served where the operator names no others. */
  readonly examplesFolder?: string;
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
  command.action(async (flags: Flags) => {
    const settings = settingsOrExit(flags, defaults);
    const { serve } = await import('../serve.ts');
    const colour = wantsColour(environment(), process.stdout.isTTY === true);
    await serve(settings, colour, terminal);
    process.exit();
  });
}

function settingsOrExit(flags: Flags, { examplesFolder }: ServeDefaults): Settings {
  const given = withProject(environment(), flags);
  const env = examplesFolder === undefined ? given : withExamples(given, flags, examplesFolder);
  const reading = readSettings(env, flags);
  for (const warning of reading.warnings) terminal.note(`Warning: ${warning}`);
  if (reading.ok) return reading.settings;
  terminal.note('Baton cannot start with these settings:');
  for (const problem of reading.problems) terminal.note(`  ${problem}`);
  return process.exit(EXIT.wrongUsage);
}
