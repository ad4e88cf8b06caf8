import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The licenses of the packages of others whose code is in a bundle. */

/** The folder of the package that a module is from, and nothing for our own modules. */
function packageFolder(moduleId) {
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(moduleId.replaceAll('\\', '/'))?.[1];
}

/** The names, versions and licenses of the packages, before each text that they come with. */
export function thirdPartyLicenses(moduleIds, what = 'The command baton') {
  const folders = new Set(moduleIds.map(packageFolder).filter((folder) => folder !== undefined));
  const packages = [...folders].map(describe).sort((one, other) => (one.title < other.title ? -1 : 1));
  const titles = new Map();
  for (const { title, text } of packages) titles.set(text, [...(titles.get(text) ?? []), title]);
  const rule = '='.repeat(80);
  return [
    `${what} contains code of ${packages.length} packages of others, under these licenses.\n`,
    ...[...titles].map(([text, of]) => `${rule}\n${of.join('\n')}\n${rule}\n\n${text}\n`),
  ].join('\n');
}

function describe(folder) {
  const { name, version, license, author, repository } = manifestIn(folder);
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file) && statSync(join(folder, file)).isFile())
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0 && license === undefined) {
    throw new Error(`${name} in ${folder} has no license, so it cannot be a part of the bundle.`);
  }
  const origin = [nameOf(author), nameOf(repository)].filter((text) => text !== undefined).join(', ');
  const stated = `The package has no license text. It states the license ${license} (${origin}).`;
  return {
    title: `${name} ${version} (${license ?? 'see the text'})`,
    text: texts.length === 0 ? stated : texts.join('\n\n'),
  };
}

function manifestIn(folder) {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) throw new Error(`${folder} has no package.json, so its license is not known.`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

function nameOf(stated) {
  return typeof stated === 'object' && stated !== null ? (stated.name ?? stated.url) : stated;
}
