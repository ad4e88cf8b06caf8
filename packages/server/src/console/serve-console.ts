import { type FileHandle, open } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ConsoleFile, consoleFiles, ENCODINGS, type Encoding, SUFFIXES } from './console-files.ts';

/** Answers a request to an address that is no route of the API. False if the console has nothing there. */
export type ServeConsole = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;

/** Pages load only what the host serves itself. Scripts and styles within a page are refused. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

/** The names of these files change with their contents. */
const ASSETS = '/assets/';
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The addresses of the API, which are never those of a page. */
const OF_API = /^\/(?:v1|\.well-known|healthz|readyz|metrics)(?:\/|$)/;

export function serveConsole(folder: string): ServeConsole {
  const files = consoleFiles(folder);
  return async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const path = pathOf(request.url);
    const found = path === undefined ? undefined : fileAt(files, path, request.headers.accept);
    if (path === undefined || found === undefined) return false;
    return send(request, reply, found, found === files.get(path) && path.startsWith(ASSETS));
  };
}

/** Every address that is not a file is a page of the console, which is one document. */
function fileAt(
  files: ReadonlyMap<string, ConsoleFile>,
  path: string,
  accept: string | undefined,
): ConsoleFile | undefined {
  if (OF_API.test(path)) return undefined;
  const file = files.get(path);
  if (file !== undefined) return file;
  const isPage = path === '/' ? takesHtml(accept) : namesHtml(accept) && !path.startsWith(ASSETS);
  return isPage ? files.get('/index.html') : undefined;
}

/** The path of an address, decoded once. `undefined` if it cannot be decoded. */
function pathOf(url: string): string | undefined {
  try {
    return decodeURIComponent(url.split(/[?#]/, 1)[0] ?? '');
  } catch {
    return undefined;
  }
}

/** False if the file is gone, because the console was built again after the host was started. */
async function send(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  { file, type, encodings }: ConsoleFile,
  isAsset: boolean,
): Promise<boolean> {
  const encoding = encodingFor(headers['accept-encoding'], encodings);
  const handle = await openExisting(encoding === undefined ? file : file + SUFFIXES[encoding]);
  if (handle === undefined) return false;
  const { size } = await handle.stat();
  reply
    .headers(HEADERS)
    .header('cache-control', isAsset ? FOR_EVER : 'no-cache')
    .header('vary', 'Accept-Encoding')
    .header('content-length', size)
    .type(type);
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  if (method === 'HEAD') {
    await handle.close();
    reply.send();
  } else reply.send(handle.createReadStream());
  return true;
}

async function openExisting(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads the headers with which a client says what it accepts. */

/** Whether HTML is named, and not only covered by a wildcard: scripts and programs send wildcards. */
export function namesHtml(accept: string | undefined): boolean {
  return weightOf(accept, 'text/html') > 0;
}

/** Whether HTML is accepted, also by a wildcard or because nothing is said. */
export function takesHtml(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  return ['text/html', 'text/*', '*/*'].some((type) => weightOf(accept, type) > 0);
}

/** The first compressed form, of those that are there, that a client accepts. */
export function encodingFor(header: string | undefined, there: readonly Encoding[]): Encoding | undefined {
  return ENCODINGS.find((encoding) => there.includes(encoding) && weightOf(header, encoding) > 0);
}

/** The weight of a name in a list such as `text/html, * / *;q=0.8`; 0 when it is not there or not wanted. */
function weightOf(header: string | undefined, name: string): number {
  for (const part of (header ?? '').split(',')) {
    const [given = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    if (given !== name) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number.parseFloat(weight.slice(2)) || 0;
  }
  return 0;
}
