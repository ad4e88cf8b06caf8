import {
  CONTRACTS,
  type EventOfTree,
  type PayloadOf,
  type RouteContract,
  type RunEvent,
} from '@baton/protocol';
import {
  checkOfficial,
  checkOfficialDocument,
} from '../../packages/conformance/src/testkit/official-schemas.ts';
import { framesOf } from './frames.ts';
import type { SentAnswer } from './problem-with-answer.ts';

/** Answers held against the protocol's own schemas, wherever one exists. Each check throws. */

type Check = (body: never) => void;

const document =
  (name: string): Check =>
  (body) =>
    checkOfficialDocument(name, body);

const snapshot = document('run-snapshot');
const file = document('workspace-file');

const OFFICIAL = new Map<RouteContract, Check>([
  [CONTRACTS.discover, document('capabilities')],
  [CONTRACTS.readRun, snapshot],
  // The snapshot is there when the caller preferred to wait.
  [CONTRACTS.createRun, (body: object) => ('workflowId' in body ? snapshot(body as never) : undefined)],
  [CONTRACTS.readWorkflow, document('workflow-definition')],
  [CONTRACTS.readFile, file],
  [CONTRACTS.writeFile, file],
  // A list says of each file what the file itself does, without its content.
  [
    CONTRACTS.listFiles,
    ({ files }: { files: object[] }) => {
      for (const entry of files) file({ ...entry, content: '' } as never);
    },
  ],
  [CONTRACTS.diffRuns, checkDiff],
  [CONTRACTS.diffRunsByVerb, checkDiff],
  [CONTRACTS.readAncestry, document('run-ancestry-response')],
  [CONTRACTS.exportRun, document('debug-bundle')],
  [CONTRACTS.readEvents, checkEvents],
  [CONTRACTS.pollEvents, checkEvents],
  [
    CONTRACTS.readInterruptLink,
    ({ kind, key, data }: { kind: string; key: string; data: unknown }) =>
      checkOfficialDocument('suspend-request', { kind, key, data }),
  ],
]);

/** How an answer departs from the protocol's schemas, or nothing; it is known to keep to its contract. */
export function officialProblem(contract: RouteContract, answer: SentAnswer): string | undefined {
  try {
    if (answer.mediaType === 'text/event-stream') {
      if (contract.frames === undefined) checkStream(answer.text);
    } else if (answer.mediaType === 'application/json' && answer.whole) checkBody(contract, answer);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function checkBody(contract: RouteContract, { status, text }: SentAnswer): void {
  const body = JSON.parse(text) as never;
  if (status < 300) OFFICIAL.get(contract)?.(body);
  else if (contract.responses[status] === undefined) checkOfficialDocument('error-envelope', body);
}

function checkStream(text: string): void {
  for (const { name, data } of framesOf(text)) {
    if (name === 'values') snapshot(data as never);
    else if (name === 'tree.event') checkEvents({ events: [(data as EventOfTree).event] });
    else if (name === 'tree.ended') continue;
    else if (name === 'ai.message.chunk') checkChunk(data as PayloadOf<'output.chunk'>);
    else checkEvents({ events: [data].flat() as RunEvent[] });
  }
}

/** The protocol has one payload for a part of a text, recorded or not. */
function checkChunk(payload: PayloadOf<'output.chunk'>): void {
  const { runId } = payload;
  const timestamp = new Date(0).toISOString();
  checkOfficial({ eventId: `${runId}:0`, runId, sequence: 0, timestamp, type: 'output.chunk', payload });
}

function checkEvents({ events }: { readonly events: readonly RunEvent[] }): void {
  // What was erased is no longer what its schema asks for.
  for (const event of events) if (!('erased' in event.payload)) checkOfficial(event);
}

function checkDiff(diff: {
  readonly eventDiffs: readonly { readonly aEvent?: RunEvent; readonly bEvent?: RunEvent }[];
}): void {
  checkOfficialDocument('run-diff-response', diff);
  checkEvents({
    events: diff.eventDiffs.flatMap(({ aEvent, bEvent }) => [aEvent ?? [], bEvent ?? []].flat()),
  });
}
