import { existsSync, readFileSync } from 'node:fs';
import { npm, told } from './npm.mjs';
import { hashOf, inProject, stampOf, withProgress } from './project.mjs';

/** A folder of `tools` with large programs from npm, which are installed when they are needed. */
export function installedTool(folder, name) {
  const stamp = stampOf(folder);
  const inFolder = (file) => inProject('tools', folder, file);
  return {
    from: inFolder('package.json'),
    async installWhenNeeded() {
      const wanted = hashOf(readFileSync(inFolder('package-lock.json')));
      if (stamp.matches(wanted) && existsSync(inFolder('node_modules'))) return;
      await withProgress(`Installing ${name}`, 'Installed', () => {
        const installed = npm(inProject('tools', folder), 'ci');
        if (installed.status !== 0) {
          console.error(`${told(installed)}\n\n${name} could not be installed.`);
          process.exit(1);
        }
      });
      stamp.write(wanted);
    },
  };
}
