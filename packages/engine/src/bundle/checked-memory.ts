import {
  type BundledScope,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_MEMORY_BYTES,
  problemWith,
  WorkspacePath,
} from '@baton/protocol';
import { type BundleRefusal, refused, storable } from './refused.ts';

/** The memory and files of a bundle, checked as if they had been written here. */
export function checkedMemory(scopes: readonly BundledScope[]): readonly BundledScope[] {
  const taken = new Set<string>();
  return scopes.map((found) => {
    const scope = storable(found, `memory "${found.scope}"`) as unknown as BundledScope;
    checkScope(scope);
    if (taken.has(scope.scope)) throw wrong(scope, 'occurs twice');
    taken.add(scope.scope);
    return scope;
  });
}

const PRIVATE = 'run:';
const FILES = 'workspace:';

function checkScope(scope: BundledScope): void {
  const isFiles = scope.scope.startsWith(FILES);
  if (!isFiles && !scope.scope.startsWith(PRIVATE) && !scope.scope.startsWith('scope:')) {
    throw wrong(scope, 'has an unknown kind');
  }
  const most = isFiles ? MAX_FILE_BYTES : MAX_MEMORY_BYTES;
  const live = new Set<string>();
  let last = 0;
  for (const { id, content, version, ended, deleted } of scope.entries) {
    if (version > scope.version || (ended ?? 0) > scope.version)
      throw wrong(scope, 'has entries after its last version');
    if (version < last || (ended !== undefined && ended <= version)) throw wrong(scope, 'is out of order');
    last = version;
    const bytes = Buffer.byteLength(content);
    if (bytes > most) throw wrong(scope, `has an entry of ${bytes} bytes; at most ${most} are kept`);
    const problem = isFiles ? problemWith(WorkspacePath, id) : undefined;
    if (problem) throw wrong(scope, `has a file with an invalid path: it ${problem.problem}`);
    if (ended !== undefined || deleted) continue;
    if (live.has(id)) throw wrong(scope, 'has two current values for one entry');
    live.add(id);
  }
  if (isFiles && live.size > MAX_FILES) throw wrong(scope, `has more than ${MAX_FILES} files`);
}

function wrong({ scope }: BundledScope, how: string): BundleRefusal {
  return refused(`cannot be opened: its memory "${scope}" ${how}`);
}
