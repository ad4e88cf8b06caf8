import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicError, anthropicFrames } from './wire/anthropic.ts';
import { googleError, googleFrames } from './wire/google.ts';
import { chatError, chatFrames } from './wire/openai-chat.ts';
import { responsesError, responsesFrames } from './wire/openai-responses.ts';
import type { ErrorFrame, Frames, Scenario } from './wire/scenario.ts';

/**
 * A local server that speaks the streaming formats of OpenAI (both APIs), Anthropic and Google, and has every
 * fault that their services have. The scenario of a request is in its address, or it is the next one of the
 * server's list.
 */
export interface WireServer {
  /** The address for a provider whose requests all have this scenario. Without one, the list decides. */
  baseURL(scenario?: Scenario): string;
  /** The scenarios of the next requests without one of their own. The last one is repeated. */
  will(...scenarios: readonly Scenario[]): void;
  /** The requests so far. */
  readonly requests: WireRequest[];
  /** Resolves with the next request. */
  next(): Promise<WireRequest>;
  close(): Promise<void>;
}

export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
  /** Resolves when the client has closed the connection before the answer was complete. */
  readonly hungUp: Promise<void>;
  /** Resolves when everything that the scenario sends before its end or its silence has been sent. */
  readonly sent: Promise<void>;
}

interface Dialect {
  readonly frames: Frames;
  readonly error: ErrorFrame;
}

const DIALECTS: readonly (readonly [RegExp, Dialect])[] = [
  [/\/chat\/completions$/, { frames: chatFrames, error: chatError }],
  [/\/responses$/, { frames: responsesFrames, error: responsesError }],
  [/\/messages$/, { frames: anthropicFrames, error: anthropicError }],
  [/:streamGenerateContent$/, { frames: googleFrames, error: googleError }],
];

/** `choose` says what becomes of a request without a scenario in its address, in place of the list. */
export async function startWireServer(
  choose?: (request: WireRequest) => Promise<Scenario>,
): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const awaited = new Set<(request: WireRequest) => void>();
  let list: readonly Scenario[] = [{ text: 'Hello.' }];

  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const { pathname } = new URL(request.url ?? '/', 'http://wire');
    const [, coded] = /^\/s\/([\w-]+)\//.exec(pathname) ?? [];
    let scenario = coded === undefined ? (list[0] ?? {}) : decode(coded);
    if (coded === undefined && list.length > 1) list = list.slice(1);
    const hungUp = new Promise<void>((done) => {
      response.once('close', () => {
        if (!response.writableFinished) done();
      });
    });
    let tellSent = () => {};
    const sent = new Promise<void>((done) => {
      tellSent = done;
    });
    const arrived = { path: pathname, headers: request.headers, body, hungUp, sent };
    requests.push(arrived);
    for (const tell of awaited) tell(arrived);
    awaited.clear();
    if (coded === undefined && choose !== undefined) scenario = await choose(arrived);
    const dialect = DIALECTS.find(([path]) => path.test(pathname))?.[1];
    if (dialect === undefined) response.writeHead(404).end('{}');
    else await answer(request, response, scenario, dialect, modelOf(body, pathname));
    tellSent();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    next: () => new Promise((done) => awaited.add(done)),
    baseURL: (scenario) =>
      `http://127.0.0.1:${port}${scenario === undefined ? '' : `/s/${encode(scenario)}`}/v1`,
    will(...scenarios) {
      list = scenarios;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  scenario: Scenario,
  { frames, error }: Dialect,
  model: string,
): Promise<void> {
  const key = keyOf(request);
  if (scenario.reset) {
    request.socket.destroy();
    return;
  }
  if (scenario.hangAfter === -1) return;
  if (scenario.status !== undefined) {
    response.writeHead(scenario.status, { 'content-type': 'application/json', ...scenario.headers });
    response.end(JSON.stringify({ error: { message: `Bad key ${key}`, type: 'e', code: 'e', status: 'e' } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...scenario.headers });
  const all = framesWithFaults(frames(scenario, model), scenario, (type) => error(type, key));
  const { cutAfter, hangAfter } = scenario;
  for (const one of all.slice(0, cutAfter?.frames ?? hangAfter ?? all.length)) await written(response, one);
  if (cutAfter?.how === 'destroy') request.socket.destroy();
  else if (hangAfter === undefined) response.end();
}

function framesWithFaults(
  frames: readonly string[],
  { errorAfter, garbageAfter }: Scenario,
  error: (type: string) => string,
): readonly string[] {
  if (errorAfter !== undefined) return frames.toSpliced(errorAfter.frames, 0, error(errorAfter.type));
  return garbageAfter === undefined ? frames : frames.toSpliced(garbageAfter, 0, 'data: {"half": \n\n');
}

/** Each frame is on the wire before the next one is written. */
function written(response: ServerResponse, text: string): Promise<void> {
  return new Promise((done) => {
    if (response.destroyed) done();
    else response.write(text, () => done());
  });
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Record<string, unknown>;
}

function modelOf({ model }: Record<string, unknown>, path: string): string {
  const [, inPath = 'unknown'] = /\/models\/([^/:]+):/.exec(path) ?? [];
  return typeof model === 'string' ? model : inPath;
}

function keyOf({ headers }: IncomingMessage): string {
  return String(headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization ?? '');
}

function encode(scenario: Scenario): string {
  return Buffer.from(JSON.stringify(scenario)).toString('base64url');
}

function decode(coded: string): Scenario {
  return JSON.parse(Buffer.from(coded, 'base64url').toString('utf8')) as Scenario;
}

/** How many frames a whole answer has in the dialect of a path. */
export function frameCount(path: string, scenario: Scenario): number {
  const dialect = DIALECTS.find(([pattern]) => pattern.test(path))?.[1];
  return dialect?.frames(scenario, 'm').length ?? 0;
}
