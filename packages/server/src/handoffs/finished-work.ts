import { type Part, type Task, TaskState } from '@a2a-js/sdk';
import { publicKey, verifiesStatement } from '@baton/engine';
import type { FinishedWork, Peer } from '@baton/engine/ports';
import {
  digest,
  HANDOFF_EXTENSION,
  isJsonObject,
  type Json,
  type JsonObject,
  problemWith,
  ResultStatement,
  type RunError,
  runError,
  storableJson,
} from '@baton/protocol';
import { PeerFault } from './peer-fault.ts';

/** Reads the state of a task of another host. `undefined` while its work goes on. */
export function finishedWork(peer: Peer, task: Task): FinishedWork | undefined {
  switch (task.status?.state) {
    case TaskState.TASK_STATE_COMPLETED: {
      const outputs = peer.kind === 'baton' ? signedOutputs(task) : outputsIn(...task.artifacts);
      return { state: 'completed', outputs, received: digest(outputs), ...statementIn(peer, task) };
    }
    case TaskState.TASK_STATE_FAILED:
      return { state: 'failed', error: errorIn(task, 'child_failed'), ...statementIn(peer, task) };
    case TaskState.TASK_STATE_CANCELED:
      return { state: 'cancelled', ...statementIn(peer, task) };
    case TaskState.TASK_STATE_REJECTED:
      return { state: 'failed', error: errorIn(task, 'peer_rejected') };
    case TaskState.TASK_STATE_INPUT_REQUIRED:
    case TaskState.TASK_STATE_AUTH_REQUIRED:
      // The people of a host of this kind answer there. Another agent needs an answer from here.
      return peer.kind === 'baton'
        ? undefined
        : { state: 'question', question: textIn(task.status.message?.parts) };
    default:
      return undefined;
  }
}

/** The signature is checked here, where the pinned key is. The kernel compares the facts. */
function statementIn(peer: Peer, task: Task): Pick<FinishedWork, 'statement'> {
  const holders = [...task.artifacts, task];
  const found = holders
    .map(({ metadata }) => metadata?.[HANDOFF_EXTENSION])
    .find((value) => isJsonObject(value) && 'signature' in value);
  if (found === undefined || peer.auditKey === undefined) return {};
  if (problemWith(ResultStatement, found) !== undefined) {
    throw new PeerFault('remote_result_mismatch', {
      message: 'The statement about the result cannot be read.',
    });
  }
  const statement = found as ResultStatement;
  if (!verifiesStatement(publicKey(peer.auditKey, peer.name), statement)) {
    const message = 'The result is not signed with the registered audit key of the other host.';
    throw new PeerFault('remote_result_mismatch', { message });
  }
  return { statement };
}

function signedOutputs({ artifacts }: Task): JsonObject {
  const parts = artifacts.find(({ artifactId }) => artifactId === 'outputs')?.parts ?? [];
  const [data] = parts.flatMap(dataIn);
  return isJsonObject(data) ? data : {};
}

/** An agent of another kind brings artifacts or a message: the fields of data parts, and all texts as `text`. */
export function outputsIn(...holders: readonly { readonly parts: readonly Part[] }[]): JsonObject {
  const parts = holders.flatMap((holder) => holder.parts);
  const fields: Record<string, Json> = {};
  for (const data of parts.flatMap(dataIn)) if (isJsonObject(data)) Object.assign(fields, data);
  const text = textIn(parts);
  return { ...(text !== '' && { text }), ...fields };
}

/** Values that cannot be stored, because they are nested too deep for example, make the answer unreadable. */
function dataIn({ content }: Part): readonly Json[] {
  return content?.$case === 'data' ? [storableJson(content.value)] : [];
}

const LONGEST_TEXT = 65_536;

function textIn(parts: readonly Part[] = []): string {
  const texts = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
  return texts.join('\n');
}

export function errorIn({ status }: Task, code: 'child_failed' | 'peer_rejected'): RunError {
  const said = textIn(status?.message?.parts).slice(0, 1000);
  return runError(code, said === '' ? undefined : said);
}

export function boundedQuestion(work: FinishedWork): FinishedWork {
  return work.question === undefined ? work : { ...work, question: work.question.slice(0, LONGEST_TEXT) };
}
