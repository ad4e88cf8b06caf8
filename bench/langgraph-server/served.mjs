import * as langGraph from '@langchain/langgraph';
import { speaking as speakingOf, supervised as supervisedOf } from '../langgraph/graphs.mjs';
import { asker } from '../models/ask.mjs';
import { INSTANT } from '../models/names.mjs';

/** The graphs that the server serves, by their names. It loads this file, so the port of the model is a variable. */

export const supervised = supervisedOf(langGraph).compile();
export const speaking = speakingOf(langGraph, asker(process.env.BENCH_MODEL_PORT, INSTANT)).compile();
