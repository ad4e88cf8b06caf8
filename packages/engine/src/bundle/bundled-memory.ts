import {
  BatonError,
  type BundledScope,
  type Json,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_MEMORY_BYTES,
  problemWith,
  WorkspacePath,
} from '@baton/protocol';
import type { Redactor } from '../kernel/secrecy/redaction.ts';
import type { FreshNames } from './fresh-names.ts';
import { storable } from './refused.ts';

/** The memory and files of a bundle. They are checked as if written here, and get new scope names. */
export function arrivingMemory(
  scopes: readonly BundledScope[],
  names: FreshNames,
  redactor: Redactor | undefined,
): readonly BundledScope[] {
  const taken = new Set<string>();
  return scopes.map((found) => {
    const given = storable(found, `memory "${found.scope}"`) as unknown as BundledScope;
    checkScope(given);
    for (const { by } of given.entries) if (by.runId !== undefined) names.note(by.runId);
    const scope = names.scope(given.scope);
    if (taken.has(scope)) throw refused(given, 'occurs twice');
    taken.add(scope);
    const renamed = JSON.parse(names.inText(JSON.stringify(given.entries))) as Json;
    const entries = (redactor?.redactJson(renamed) ?? renamed) as unknown as BundledScope['entries'];
    return { scope, version: given.version, entries };
  });
}

const PRIVATE = 'run:';
const FILES = 'workspace:';

function checkScope(scope: BundledScope): void {
  const isFiles = scope.scope.startsWith(FILES);
  if (!isFiles && !scope.scope.startsWith(PRIVATE) && !scope.scope.startsWith('scope:')) {
    throw refused(scope, 'has an unknown kind');
  }
  const most = isFiles ? MAX_FILE_BYTES : MAX_MEMORY_BYTES;
  const live = new Set<string>();
  let last = 0;
  for (const { id, content, version, ended, deleted } of scope.entries) {
    if (version > scope.version || (ended ?? 0) > scope.version)
      throw refused(scope, 'has entries after its last version');
    if (version < last || (ended !== undefined && ended <= version)) throw refused(scope, 'is out of order');
    last = version;
    const bytes = Buffer.byteLength(content);
    if (bytes > most) throw refused(scope, `has an entry of ${bytes} bytes; at most ${most} are kept`);
    const problem = isFiles ? problemWith(WorkspacePath, id) : undefined;
    if (problem) throw refused(scope, `has a file with an invalid path: it ${problem.problem}`);
    if (ended !== undefined || deleted) continue;
    if (live.has(id)) throw refused(scope, 'has two current values for one entry');
    live.add(id);
  }
  if (isFiles && live.size > MAX_FILES) throw refused(scope, `has more than ${MAX_FILES} files`);
}

function refused({ scope }: BundledScope, how: string): BatonError {
  return new BatonError('bundle_invalid', `The bundle cannot be imported: its memory "${scope}" ${how}.`, {
    scope,
  });
}
