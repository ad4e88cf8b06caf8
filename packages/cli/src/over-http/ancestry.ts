import { problemWith, RunAncestry } from '@baton/protocol';
import { wrongUsage } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { withKnownRun } from '../runs/known-names.ts';
import type { Session } from '../session.ts';
import { ask, type RunningHost } from './running-host.ts';

/** Follows the parents of a run from host to host. */

/** More runs above a run than any host allows, so that hosts which name each other in a circle are noticed. */
const MAX_RUNS = 256;
/** The host of a run above may be slow, or may never answer. */
const PATIENCE_MS = 10_000;
const WELL_KNOWN = '/.well-known/openwop';

interface Step {
  readonly runId: string;
  readonly hostId: string;
  /** How the run was started by the one above it. Absent for the topmost run. */
  readonly cause?: string;
}

/** The runs from the asked one upwards, and why the last one is not the topmost. */
interface Chain {
  readonly steps: readonly Step[];
  readonly stopped?: string;
}

/** `baton ancestry`. Each of `--key-for` is `<address>=<key>`. Fails if the chain could not be followed to its end. */
export async function showAncestry(session: Session, runId: string): Promise<ExitCode> {
  const { host, out } = session;
  const { keyFor = [] } = session.flags as { readonly keyFor?: readonly string[] };
  const keys = readKeys(keyFor);
  const { steps, stopped } = await withKnownRun(session, runId, (id) => chainOf(host, id, keys));
  const isComplete = stopped === undefined;
  out.give({ isComplete, runs: steps.toReversed(), ...(!isComplete && { stopped }) }, drawn(steps));
  if (!isComplete) out.note(`The runs above ${steps.at(-1)?.runId} are not shown: ${stopped}`);
  return isComplete ? EXIT.done : EXIT.failed;
}

/** A key is kept for an address and not for a host id, because a host can claim any id. */
function readKeys(keysFor: readonly string[]): ReadonlyMap<string, string> {
  const pairs = keysFor.map((given): [string, string] => {
    const at = given.indexOf('=');
    const address = given.slice(0, Math.max(at, 0));
    if (!URL.canParse(address) || at === given.length - 1) {
      throw wrongUsage('--key-for needs an address and a key, such as https://baton.acme.example=<key>.');
    }
    return [new URL(address).origin, given.slice(at + 1)];
  });
  return new Map(pairs);
}

async function chainOf(
  first: RunningHost,
  firstRun: string,
  keys: ReadonlyMap<string, string>,
): Promise<Chain> {
  const steps: Step[] = [];
  const answer = await ancestryFrom(first, firstRun);
  let asked: RunningHost = first;
  let { parent } = answer;
  let here: Step = { runId: answer.runId, hostId: answer.hostId };
  while (parent !== null) {
    steps.push({ ...here, cause: parent.cause });
    here = { runId: parent.runId, hostId: parent.hostId };
    const above = { ...here };
    const stop = (stopped: string): Chain => ({ steps: [...steps, above], stopped });
    if (steps.length === MAX_RUNS)
      return stop(`${MAX_RUNS} runs were followed, which is more than hosts allow.`);
    if (parent.wellKnownUrl !== undefined) {
      const other = otherHost(parent.wellKnownUrl, keys);
      if (typeof other === 'string') return stop(other);
      asked = other;
    }
    try {
      const next: RunAncestry = await ancestryFrom(asked, above.runId);
      if (next.hostId !== above.hostId)
        return stop(`${asked.url} is ${next.hostId}, and not ${above.hostId}.`);
      parent = next.parent;
    } catch (error) {
      return stop(`${asked.url}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { steps: [...steps, here] };
}

/** The host that describes itself at this address, or why it cannot be asked. */
function otherHost(wellKnownUrl: string, keys: ReadonlyMap<string, string>): RunningHost | string {
  if (!wellKnownUrl.endsWith(WELL_KNOWN) || !/^https?:/.test(wellKnownUrl) || !URL.canParse(wellKnownUrl)) {
    return `${JSON.stringify(wellKnownUrl)} is not the address of a host.`;
  }
  const { origin } = new URL(wellKnownUrl);
  const apiKey = keys.get(origin);
  if (apiKey === undefined)
    return `they are on ${origin}; add --key-for ${origin}=<key> with a key of that host.`;
  return { url: origin, apiKey };
}

async function ancestryFrom(host: RunningHost, runId: string): Promise<RunAncestry> {
  const path = `/v1/runs/${encodeURIComponent(runId)}/ancestry`;
  const answer: unknown = JSON.parse(await ask(host, path, undefined, AbortSignal.timeout(PATIENCE_MS)));
  // Another host may say anything, and its answer is printed.
  const problem = problemWith(RunAncestry, answer);
  const ancestry = answer as RunAncestry;
  if (problem === undefined && ancestry.runId === runId) return ancestry;
  throw new Error('The answer does not say which run started the run.');
}

/** The topmost run first, each run below the one that started it. */
function drawn(steps: readonly Step[]): string {
  return steps
    .toReversed()
    .map(({ runId, hostId, cause }, depth) => {
      const branch = cause === undefined ? '' : `${'   '.repeat(depth - 1)}└─ ${cause} `;
      return `${branch}${runId}  (${hostId})`;
    })
    .join('\n');
}
