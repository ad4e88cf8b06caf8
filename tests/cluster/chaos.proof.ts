import { afterAll, beforeAll, it } from 'vitest';
import { SEED } from '../proof.ts';
import { CHAOS_WORKFLOWS, chaos } from './chaos.ts';
import { type Cluster, startCluster } from './kit.ts';

const SECONDS = Number(process.env.BATON_CHAOS_SECONDS ?? 60);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster(CHAOS_WORKFLOWS);
}, 120_000);
afterAll(() => cluster?.stop());

it(
  `loses nothing and records nothing twice (seed ${SEED})`,
  {
    timeout: (SECONDS + 300) * 1000,
  },
  () => chaos(cluster, SECONDS),
);
