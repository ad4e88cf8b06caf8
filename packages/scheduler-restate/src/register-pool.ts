/** Tells Restate where the pool of this host is. Restate keeps it, and a second registration changes nothing. */
interface RegisterOptions {
  readonly adminUrl: string;
  readonly endpointUrl: string;
  readonly fetch: typeof fetch;
  readonly later: (ms: number, callback: () => void) => () => void;
  /** Told once, when Restate does not take the registration. It is sent again. */
  readonly onRefused: (reason: string) => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const ANSWER_WITHIN_MS = 10_000;

interface Registration {
  /** Restate does not know the pool: it was registered nowhere yet, or Restate has lost its disk. */
  again(): void;
  stop(): void;
}

/** Registers until it succeeds, or until it is stopped. */
export function registerPool(options: RegisterOptions): Registration {
  const { adminUrl, endpointUrl, fetch, later, onRefused } = options;
  const stopping = new AbortController();
  let cancel: (() => void) | undefined;
  let isTold = false;
  let isUnderWay = false;

  async function register(): Promise<string | undefined> {
    const response = await fetch(`${adminUrl}/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // The hosts of one release have the same services. Those of another release replace them.
      body: JSON.stringify({ uri: endpointUrl, force: true }),
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
    });
    const text = await response.text();
    return response.ok ? undefined : `${response.status} ${text.slice(0, 500)}`;
  }

  async function attempt(wait: number): Promise<void> {
    isUnderWay = true;
    const refused = await register().catch((problem) => String(problem));
    if (refused === undefined || stopping.signal.aborted) {
      isUnderWay = false;
      isTold = false;
      return;
    }
    if (!isTold) onRefused(refused);
    isTold = true;
    cancel = later(wait, () => void attempt(Math.min(wait * 2, LONGEST_WAIT_MS)));
  }

  void attempt(FIRST_WAIT_MS);
  return {
    again() {
      if (!isUnderWay) void attempt(FIRST_WAIT_MS);
    },
    stop() {
      stopping.abort();
      cancel?.();
    },
  };
}
