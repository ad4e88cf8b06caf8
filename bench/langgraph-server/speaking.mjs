import * as langGraph from '@langchain/langgraph';
import { speaking } from '../langgraph/graphs.mjs';
import { asker } from '../models/ask.mjs';
import { INSTANT } from '../models/names.mjs';

// The server loads this file, so the port of the model comes from its environment.
export const graph = speaking(langGraph, asker(process.env.BENCH_MODEL_PORT, INSTANT)).compile();
