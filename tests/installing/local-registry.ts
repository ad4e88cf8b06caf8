import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A registry of npm on this machine that has the packages of `node_modules`, each in the version that is installed. So
 * a test can install packages as a user does, without the network.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The folders of a package by its versions. Other packages may have a version of their own. */
function installedVersions(name: string): ReadonlyMap<string, string> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  const folders = Object.entries(packages).filter(([path]) => path.endsWith(`node_modules/${name}`));
  return new Map(
    folders.flatMap(([path, { version }]) =>
      version !== undefined && existsSync(join(ROOT, path, 'package.json'))
        ? [[version, join(ROOT, path)]]
        : [],
    ),
  );
}

interface Registry {
  readonly url: string;
  /** The packages that were asked for. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export async function startRegistry(): Promise<Registry> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://registry').pathname).slice(1);
    const [name = '', version] = path.replace(/\.tgz$/, '').split('/-/');
    const folders = installedVersions(name);
    const folder = version === undefined ? undefined : folders.get(version);
    if (folder !== undefined) {
      // The compiled parts of a package are in its folder, so its install scripts need not run.
      const parts = [
        '--transform',
        's,^\\.,package,',
        '--exclude',
        './node_modules',
        '--hard-dereference',
        '-C',
        folder,
        '.',
      ];
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      spawn('tar', ['-cz', ...parts]).stdout.pipe(response);
      return;
    }
    if (folders.size === 0) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error": "not found"}');
      return;
    }
    asked.push(name);
    const { port } = server.address() as AddressInfo;
    const versions = [...folders].map(([number, place]) => {
      const dist = { tarball: `http://127.0.0.1:${port}/${name}/-/${number}.tgz` };
      return [number, { ...JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')), dist }] as const;
    });
    const latest = versions.at(-1)?.[0];
    const body = { name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    asked,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
