import type { SecretReads, SecretRecord } from '@baton/engine/ports';

const PAGE = 100;

/** The stored secrets of all tenants. */
export async function* storedPages(
  reads: Pick<SecretReads, 'everySecret'>,
): AsyncGenerator<readonly SecretRecord[]> {
  let last: SecretRecord | undefined;
  do {
    const page = await reads.everySecret(last, PAGE);
    if (page.length > 0) yield page;
    last = page.at(-1);
  } while (last !== undefined);
}
