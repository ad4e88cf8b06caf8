import { code, page, table } from './markdown.mjs';

export async function settingPage() {
  const { SETTINGS } = await import('../../packages/cli/dist/settings.js');
  const { flagOf } = await import('../../packages/cli/dist/settings/given.js');
  const intro =
    'Every setting of `baton serve` is an environment variable and a flag: `BATON_PORT=8080 baton serve` is the ' +
    'same as `baton serve --port 8080`.';
  const rows = SETTINGS.map(({ name, value, unset, meaning }) => [
    code(name),
    code(`${flagOf(name)}${value === '' ? '' : ` <${value}>`}`),
    unset,
    meaning,
  ]);
  return page('Settings', intro, table(['variable', 'flag', 'default', 'meaning'], rows));
}
