import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { inProject } from './project.mjs';
import { thirdPartyLicenses } from './third-party.mjs';

/** Builds the console into `apps/console/dist`, with a compressed copy of each file that is worth it. */

const FOLDER = inProject('apps', 'console');
const LICENSES = 'THIRD-PARTY-LICENSES';
const COMPRESSED = /\.(?:js|css|svg|html)$/;
/** A smaller file fits into one packet in any case. */
const SMALL_BYTES = 1024;

export async function buildConsole() {
  const { build } = await import('vite');
  const { output } = await build({
    root: FOLDER,
    configFile: join(FOLDER, 'vite.config.ts'),
    logLevel: 'error',
  });
  compressAll(join(FOLDER, 'dist'));
  // Virtual modules begin with a zero byte, and some names of modules end with a query.
  const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  const files = modules.map((id) => id.replace(/^\0/, '').replace(/\?.*$/, ''));
  writeFileSync(join(FOLDER, 'dist', LICENSES), thirdPartyLicenses(files, 'The console'));
}

export function consoleIsBuilt() {
  return existsSync(join(FOLDER, 'dist', 'index.html'));
}

/** The files that the console is made of, apart from the packages. */
export function consoleSources() {
  const files = (folder) =>
    readdirSync(join(FOLDER, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.(?:test|proof)\.ts$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  const settings = ['package.json', 'tsconfig.json', 'vite.config.ts', 'index.html'];
  return [...settings.map((name) => join(FOLDER, name)), ...files('public'), ...files('src')];
}

function compressAll(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !COMPRESSED.test(entry.name)) continue;
    const content = readFileSync(file);
    if (content.length < SMALL_BYTES) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}
