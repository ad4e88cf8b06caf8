import { expectCompleted, expectStatus, runIdIn } from './expect.mjs';
import { readEvents } from './requests.mjs';

/** The last event is in a piece that is longer than this, or in the pieces after such a one. */
const LAST_FRAME_BYTES = 1000;

/** What a caller does: create a run, then read its stream of events until the last one. */
export async function runToEnd(connection, create) {
  const runId = runIdIn(expectStatus(await connection.send(create), 201));
  expectCompleted(expectStatus(await connection.send(readEvents(runId)), 200));
  return runId;
}

/** Reads a stream of events that is too long to keep until the last one. */
export async function followToEnd(connection, runId) {
  let last = Buffer.alloc(0);
  const { status } = await connection.send(readEvents(runId), (bytes) => {
    last = bytes.length > LAST_FRAME_BYTES ? bytes : Buffer.concat([last, bytes]);
  });
  expectStatus({ status, body: last }, 200);
  expectCompleted(last);
}
