import type { Identity } from './identity.ts';
import type { KeyOwners } from './keyring.ts';

/** Streams stay open for long, and the rights with which one was opened can end meanwhile. */
export interface StandingAccess {
  /** Calls `end` when the caller has lost a right. The returned function stops the watch. */
  watch(caller: Identity, end: () => void): () => void;
}

interface StandingAccessParts {
  /** Whether the caller still has all the rights that it had. */
  readonly stands: (caller: Identity) => Promise<boolean>;
  /** Repeats a function until the returned one is called. */
  readonly repeat: (work: () => void, everyMs: number) => () => void;
}

/** Another process may revoke a key, such as `baton keys revoke`, so that the store has to be asked. */
const EVERY_MS = 1000;

export function standingAccess({ stands, repeat }: StandingAccessParts): StandingAccess {
  /** By caller, so that a caller with many streams is looked up once. */
  const watched = new Map<string, { readonly caller: Identity; readonly ends: Set<() => void> }>();
  let stop: (() => void) | undefined;
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    for (const { caller, ends } of [...watched.values()]) {
      // A store that cannot be read says nothing about rights. It is asked again in a second.
      const isFine = await stands(caller).catch(() => true);
      if (!isFine) for (const end of [...ends]) end();
    }
    isLooking = false;
  }

  return {
    watch(caller, end) {
      const name = nameOf(caller);
      const known = watched.get(name) ?? { caller, ends: new Set() };
      watched.set(name, known);
      // Two streams may share a function.
      const own = () => end();
      known.ends.add(own);
      stop ??= repeat(() => void look(), EVERY_MS);
      return () => {
        known.ends.delete(own);
        if (known.ends.size === 0 && watched.get(name) === known) watched.delete(name);
        if (watched.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}

/** Two callers with one name have the same rights, and lose them together. */
function nameOf({ keyId, tenant, scopes, session }: Identity): string {
  return JSON.stringify([session?.id ?? null, tenant, keyId, [...scopes].sort()]);
}

/** Whether the key of a caller still gives all the rights that it gave. */
export async function keyStands(owners: KeyOwners, { keyId, tenant, scopes }: Identity): Promise<boolean> {
  if (keyId === owners.operator.keyId) return true;
  const owner = await owners.ownerOf(keyId);
  return owner?.tenant === tenant && [...scopes].every((scope) => owner.scopes.has(scope));
}
