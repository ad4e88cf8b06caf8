import fc from 'fast-check';
import { SEED } from './proof.ts';

/** Properties are checked with the same cases in every `npm test`. Otherwise fast-check draws new ones each time. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
