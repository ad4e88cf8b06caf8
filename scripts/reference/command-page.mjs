import { code, page, table } from './markdown.mjs';

export async function commandPage() {
  const { program } = await import('../../packages/cli/dist/main.js');
  const { commands } = await program(['serve'], {});
  const intro = 'Every command of `baton`. `baton <command> --help` shows the same in the terminal.';
  return page('Commands', intro, ...commands.flatMap((command) => describe(command, 'baton')));
}

function describe(command, before) {
  const name = `${before} ${command.name()}`;
  const words = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  const options = command.options
    .filter((option) => !option.hidden)
    .map((option) => [code(option.flags), option.description]);
  const isSettings = name === 'baton serve';
  const own = [
    `## ${[name, ...words].join(' ')}`,
    command.description(),
    isSettings && 'Its flags are listed in [Settings](settings.md).',
    !isSettings && options.length > 0 && table(['flag', 'meaning'], options),
  ]
    .filter(Boolean)
    .join('\n\n');
  return [own, ...command.commands.flatMap((below) => describe(below, name))];
}
