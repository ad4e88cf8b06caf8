/**
 * `npm test` runs the files named `*.test.ts`; `npm run proof` runs these and the ones named `*.proof.ts`. A test that
 * is in both asks here how much it should try.
 */
export const inProof = process.env.BATON_PROOF === '1';

/**
 * The seed of random cases. In `npm test` it is always the same, so that a failure comes from the change under test.
 * `npm run proof` chooses a new one for each run, prints it, and takes another one from BATON_FUZZ_SEED.
 */
export const SEED = Number(process.env.BATON_FUZZ_SEED ?? 20_261_118);
