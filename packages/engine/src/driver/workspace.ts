import { BatonError, MAX_FILE_BYTES, MAX_FILES, workspaceScope } from '@baton/protocol';
import type { DeleteFileCommand, PutFileCommand } from '../commands.ts';
import type { Redactor } from '../kernel/secrecy/redaction.ts';
import type { MemoryChange, MemoryRow } from '../ports/memory.ts';
import type { Slice, Store } from '../ports/store.ts';
import { etagOf } from '../workspace.ts';
import { done } from './replies.ts';
import type { Outcome } from './rounds/job.ts';

/** Writes and deletes files of a workspace. Each change makes a new version of the workspace. */

export async function putFile(
  store: Store,
  redactor: Redactor | undefined,
  given: PutFileCommand,
  now: number,
): Promise<Outcome> {
  refuseSecretNames(redactor, given);
  const bytes = Buffer.byteLength(given.content);
  if (bytes > MAX_FILE_BYTES) {
    const message = `The file has ${bytes} bytes; a file may have ${MAX_FILE_BYTES}.`;
    throw new BatonError('workspace_too_large', message, { maxFileBytes: MAX_FILE_BYTES, bytes });
  }
  const { file, version } = await current(store, given, now);
  requireMatch(given, file);
  if (file === undefined) await requireRoom(store, given, version, now);
  const content = redactor ? redactor.redactText(given.content) : given.content;
  const change: MemoryChange = {
    kind: 'write',
    ...placeOf(given, version, now),
    content,
    tags: [],
    contentType: given.contentType,
  };
  const written: MemoryRow = {
    id: given.path,
    content,
    tags: [],
    createdAt: now,
    contentType: given.contentType,
    scope: change.scope,
    version: version + 1,
    revision: (file?.revision ?? 0) + 1,
    by: {},
  };
  return outcome(change, done({ kind: 'file', file: written }));
}

/** A path or a content type cannot be redacted: the redacted path would name another file. */
function refuseSecretNames(redactor: Redactor | undefined, { path, contentType }: PutFileCommand): void {
  for (const [field, text] of Object.entries({ path, contentType })) {
    if (redactor === undefined || redactor.redactText(text) === text) continue;
    throw new BatonError('validation_error', `The ${field} holds the value of a secret; choose another.`, {
      field,
    });
  }
}

export async function deleteFile(store: Store, given: DeleteFileCommand, now: number): Promise<Outcome> {
  const { file, version } = await current(store, given, now);
  if (file === undefined) throw new BatonError('not_found', 'There is no such file.', { path: given.path });
  requireMatch(given, file);
  return outcome({ kind: 'forget', ...placeOf(given, version, now) }, done({ kind: 'done' }));
}

type FileCommand = PutFileCommand | DeleteFileCommand;

function outcome(change: MemoryChange, reply: Outcome['reply']): Outcome {
  const slice: Slice = { rootId: change.scope, runs: [], memory: [change] };
  return { ...(reply && { reply }), slice };
}

function placeOf({ caller, workspace, path }: FileCommand, expectedVersion: number, at: number) {
  const { tenant } = caller;
  return { tenant, scope: workspaceScope(workspace), expectedVersion, at, id: path, by: {} };
}

async function current(store: Store, { caller, workspace, path }: FileCommand, now: number) {
  const scope = workspaceScope(workspace);
  const version = (await store.scope(caller.tenant, scope))?.version ?? 0;
  const query = { tenant: caller.tenant, view: [{ scope, version }], now, id: path, limit: 1 };
  const [file] = await store.memory(query);
  return { file, version };
}

function requireMatch({ ifMatch }: FileCommand, file: MemoryRow | undefined): void {
  if (ifMatch === undefined || (ifMatch === '*' && file !== undefined)) return;
  if (file !== undefined && ifMatch === etagOf(file)) return;
  throw new BatonError('workspace_conflict', undefined, { currentVersion: file?.revision ?? 0 });
}

async function requireRoom(store: Store, given: FileCommand, version: number, now: number): Promise<void> {
  const scope = workspaceScope(given.workspace);
  const query = { tenant: given.caller.tenant, view: [{ scope, version }], now, limit: MAX_FILES };
  if (version < MAX_FILES || (await store.memory(query)).length < MAX_FILES) return;
  throw new BatonError('workspace_too_large', `A workspace holds at most ${MAX_FILES} files.`, {
    maxFiles: MAX_FILES,
  });
}
