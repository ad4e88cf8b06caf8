const WAIT = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i;

const MAX_WAIT_SECONDS = 60;

/** Seconds that the caller is willing to wait for the outcome (`Prefer: wait=10`), within the host's limit. */
export function waitSeconds(prefer: string | string[] | undefined): number | undefined {
  const text = Array.isArray(prefer) ? prefer.join(',') : prefer;
  const seconds = text === undefined ? undefined : WAIT.exec(text)?.[1];
  return seconds === undefined ? undefined : Math.min(Number(seconds), MAX_WAIT_SECONDS);
}
