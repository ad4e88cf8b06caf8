import { code, page, table } from './markdown.mjs';

export async function settingPage() {
  const { SETTINGS, flagOf } = await import('@baton/cli/settings');
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
