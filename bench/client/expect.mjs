/** Throws for an unexpected status, because a benchmark must not count errors as answers. */
export function expectStatus({ status, body }, wanted) {
  if (status === wanted) return body;
  throw new Error(`the host answered ${status} instead of ${wanted}: ${body.toString().slice(0, 500)}`);
}

const RUN_ID = '"runId":"';

/** Reads the id of the run from the response to its creation, without parsing the rest. */
export function runIdIn(body) {
  const text = body.latin1Slice();
  const start = text.indexOf(RUN_ID) + RUN_ID.length;
  return text.slice(start, text.indexOf('"', start));
}

export function expectCompleted(log) {
  if (log.lastIndexOf('event: run.completed\n') !== -1) return;
  throw new Error(`a run did not complete: ${log.toString().slice(-1000)}`);
}
