import { EVERY_TENANT, type Secrets } from '@baton/engine';

/** A secret for conformance suites, which check that it never appears in events or answers. */
const CANARY_ID = 'conformance-test-secret';
const CANARY = 'baton-canary-5d1e0c7b9a3f4826';

/** The secrets of the operator, with one more for every tenant. */
export function withCanary(secrets: Secrets): Secrets {
  const shared = new Map([...(secrets.get(EVERY_TENANT) ?? []), [CANARY_ID, CANARY]]);
  return new Map([...secrets, [EVERY_TENANT, shared]]);
}
