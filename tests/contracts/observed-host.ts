import type { ServerResponse } from 'node:http';
import type { RouteContract } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import { referenceFolder } from '../../packages/conformance/src/testkit/official-schemas.ts';
import { officialProblem } from './official-answers.ts';
import { problemWithAnswer, type SentAnswer } from './problem-with-answer.ts';

/** Reads along what a host answers, and holds it against the contracts of its routes. */
export interface ObservedHost {
  readonly observe: (app: FastifyInstance) => void;
  /** Every route as it was added. */
  readonly routes: readonly ObservedRoute[];
  /** Answers that departed from their contract. */
  readonly problems: string[];
  /** Answers that departed from the protocol's own schemas, when these are at hand. */
  readonly officialProblems: string[];
}

interface ObservedRoute {
  readonly method: string;
  readonly url: string;
  readonly contract: RouteContract | undefined;
}

/** Larger answers are not kept; what they are made of is checked where they are smaller. */
const LARGEST_KEPT = 8 * 1024 * 1024;

export function observedHost(): ObservedHost {
  const routes: ObservedRoute[] = [];
  const problems: string[] = [];
  const officialProblems: string[] = [];

  function check(contract: RouteContract, answer: SentAnswer): void {
    const where = `${contract.method} ${contract.path} answered ${answer.status}`;
    const problem = problemWithAnswer(contract, answer);
    if (problem !== undefined) problems.push(`${where}: ${problem}: ${answer.text.slice(0, 500)}`);
    else if (referenceFolder !== undefined) {
      const official = officialProblem(contract, answer);
      if (official !== undefined) officialProblems.push(`${where}: ${official}`);
    }
  }

  return {
    routes,
    problems,
    officialProblems,
    observe(app) {
      app.addHook('onRoute', ({ method, url, config }) => {
        for (const one of [method].flat()) routes.push({ method: one, url, contract: contractIn(config) });
      });
      app.addHook('onRequest', (request, reply, done) => {
        const contract = contractIn(request.routeOptions.config);
        if (contract !== undefined) readAlong(reply.raw, (answer) => check(contract, answer));
        done();
      });
    },
  };
}

function contractIn(config: object | undefined): RouteContract | undefined {
  return (config as { readonly contract?: RouteContract } | undefined)?.contract;
}

type Pieces = readonly [piece?: unknown, ...rest: unknown[]];
type Sender = (...args: Pieces) => never;

/** Calls back with the answer just before its last piece is sent, or when the reader has left. */
function readAlong(response: ServerResponse, onAnswer: (answer: SentAnswer) => void): void {
  const pieces: Buffer[] = [];
  let size = 0;
  let told = false;
  const keep = (piece: unknown): void => {
    if (typeof piece !== 'string' && !(piece instanceof Uint8Array)) return;
    size += piece.length;
    if (size <= LARGEST_KEPT) pieces.push(Buffer.from(piece as string));
  };
  const tell = (whole: boolean): void => {
    if (told || size > LARGEST_KEPT || !(whole || response.headersSent)) return;
    told = true;
    onAnswer({
      status: response.statusCode,
      mediaType: String(response.getHeader('content-type') ?? '').split(';')[0] ?? '',
      text: Buffer.concat(pieces).toString(),
      replayed: response.hasHeader('openwop-idempotent-replay'),
      whole,
    });
  };
  const write = response.write.bind(response) as Sender;
  const end = response.end.bind(response) as Sender;
  response.write = (...args: Pieces) => {
    keep(args[0]);
    return write(...args);
  };
  response.end = (...args: Pieces) => {
    keep(args[0]);
    tell(true);
    return end(...args);
  };
  response.once('close', () => tell(false));
}
