import { existsSync, readFileSync } from 'node:fs';
import { npm, told } from './npm.mjs';
import { hashOf, inProject, stampOf, withProgress } from './project.mjs';

/** The browser in which the console is tested. It is large, so only `npm test` installs it. */

const FOLDER = inProject('tests', 'browser');
const stamp = stampOf('browser');

export async function installBrowserWhenNeeded() {
  const wanted = hashOf(readFileSync(inProject('tests', 'browser', 'package-lock.json')));
  if (stamp.matches(wanted) && existsSync(inProject('tests', 'browser', 'node_modules'))) return;
  await withProgress('Installing the browser for tests', 'Installed', () => {
    const installed = npm(FOLDER, 'ci');
    if (installed.status !== 0) {
      console.error(`${told(installed)}\n\nThe browser for the tests of the console could not be installed.`);
      process.exit(1);
    }
  });
  stamp.write(wanted);
}
