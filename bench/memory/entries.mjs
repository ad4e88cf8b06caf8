/** The entries of a tenant: one large memory scope, some smaller ones, and very many small ones. */

export const TENANT = 'default';

/** Runs with this `scopeId` see the largest memory scope. */
export const LARGEST_SCOPE_ID = 'library';
export const LARGEST_SCOPE = `scope:${LARGEST_SCOPE_ID}`;

const LARGEST_SHARE = 0.3;
const MIDDLING = { count: 10, share: 0.04 };
const SMALL_ENTRIES = 30;

/**
 * One of so many entries in the largest memory scope is written a second time, so that reads meet history.
 */
const REWRITTEN = 10;

const TOPICS = 20;
const SOURCES = 1000;
const VOCABULARY = 4096;
const WORDS_AN_ENTRY = 24;

export function entryId(number) {
  return `note-${number}`;
}

export function topicOf(number) {
  return `topic-${number % TOPICS}`;
}

/** All changes, one memory scope after the other. */
export function* changesFor(entries, at) {
  const largest = Math.floor(entries * LARGEST_SHARE);
  yield* writesTo(LARGEST_SCOPE, numbers(largest), 0, at);
  const rewritten = [...numbers(largest)].filter((number) => number % REWRITTEN === 0);
  yield* writesTo(LARGEST_SCOPE, rewritten, largest, at);
  const middling = Math.floor(entries * MIDDLING.share);
  for (let scope = 0; scope < MIDDLING.count; scope += 1) {
    yield* writesTo(`scope:team-${scope}`, numbers(middling), 0, at);
  }
  let left = entries - largest - MIDDLING.count * middling;
  for (let scope = 0; left > 0; scope += 1, left -= SMALL_ENTRIES) {
    yield* writesTo(`scope:project-${scope}`, numbers(Math.min(left, SMALL_ENTRIES)), 0, at);
  }
}

function* numbers(count) {
  for (let number = 0; number < count; number += 1) yield number;
}

function* writesTo(scope, which, version, at) {
  let expectedVersion = version;
  for (const number of which) {
    yield {
      kind: 'write',
      tenant: TENANT,
      scope,
      expectedVersion,
      at,
      by: { nodeId: 'bench' },
      id: entryId(number),
      content: contentOf(number),
      tags: [topicOf(number), `source-${number % SOURCES}`],
    };
    expectedVersion += 1;
  }
}

function contentOf(number) {
  const words = Array.from({ length: WORDS_AN_ENTRY }, (_, at) => word(rankOf(number * WORDS_AN_ENTRY + at)));
  return `Note ${number}: ${words.join(' ')}.`;
}

/** The word of a rank. Rank 0 is in most entries; half of the words are in one of several hundred entries. */
export function word(rank) {
  return `tide${rank.toString(36)}`;
}

/** Deterministic for each place. Small ranks are far more frequent than large ones. */
function rankOf(place) {
  const mixed = Math.imul(place ^ (place >>> 15), 0x2c1b3c6d);
  const share = ((mixed ^ (mixed >>> 12)) >>> 0) / 2 ** 32;
  return Math.floor(share ** 3 * VOCABULARY);
}
