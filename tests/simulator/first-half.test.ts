import { testSimulations } from './many-simulations.ts';

testSimulations(0);
