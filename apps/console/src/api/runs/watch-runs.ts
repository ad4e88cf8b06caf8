import { connect } from '@baton/client';
import { consoleFetch } from '../baton.ts';
import type { FeedItem } from './feed.ts';

/** Gives up at the first failure, so that the page can say that the host does not answer. The feed is opened again. */
const once = connect({
  url: window.location.origin,
  fetch: consoleFetch,
  patience: { tries: 1, streamTries: 1 },
});

export function watchRuns(signal: AbortSignal): AsyncIterable<FeedItem> {
  return once.runs.watch({ signal });
}
