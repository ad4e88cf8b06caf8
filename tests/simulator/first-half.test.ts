import { describe } from 'vitest';
import { testSimulations } from './many-simulations.ts';

describe('on a SQLite store', () => testSimulations(0, 'sqlite'));
describe('several hosts on a simulated Postgres', () => testSimulations(0, 'postgres'));
